import type { OrgId } from '@jobline/contracts';
import { createLookup } from '@jobline/runtime';
import { rateLimited } from './rate-limit-state.js';

/** Organizations are counted once a minute or so, so a figure may be a little older than that. */
const RECENT = { ttlMs: 5_000, maxEntries: 10_000 };
const RETRY_AFTER_S = 60;

/**
 * Throws `rate_limited` when an organization stores more than `maxBytes`: 429, not 409, which would tell whoever submits
 * that their job is there already.
 */
export function createStoredLimit(options: {
  maxBytes: number;
  storedBytesOf(orgId: OrgId): Promise<number>;
}): (orgId: OrgId) => Promise<void> {
  const { maxBytes } = options;
  // The cast: it is asked for organizations only.
  const stored = createLookup({ ...RECENT, load: (orgId) => options.storedBytesOf(orgId as OrgId) });
  return async (orgId) => {
    const bytes = await stored.get(orgId);
    if (bytes <= maxBytes) return;
    throw rateLimited(
      `Your organization stores about ${bytes} bytes of jobs, files and messages, and may store ${maxBytes}.`,
      { isOver: true, limit: maxBytes, remaining: 0, resetS: RETRY_AFTER_S, retryAfterS: RETRY_AFTER_S },
    );
  };
}
