import type { Schemas } from '../api/api-client.js';

/** Whether the API rejects a key because its time is over. */
export function isExpired({ expires_at: at }: Pick<Schemas['ApiKey'], 'expires_at'>, now: number): boolean {
  return at !== null && Date.parse(at) <= now;
}
