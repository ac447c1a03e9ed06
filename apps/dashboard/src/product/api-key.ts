import type { ApiKey } from '@jobline/client';

/** Whether the API rejects a key because its time is over. */
export function isExpired({ expires_at: at }: Pick<ApiKey, 'expires_at'>, now: number): boolean {
  return at !== null && Date.parse(at) <= now;
}
