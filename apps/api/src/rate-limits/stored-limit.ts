import type { OrgId } from '@jobline/contracts';
import { createLookup } from '@jobline/runtime';
import { rateLimited, usedUp } from './rate-limit-state.js';

/** The stored bytes of an organization are counted about once a minute, so a number that is a little older is as good. */
const RECENT = { ttlMs: 5_000, maxEntries: 10_000 };
const RETRY_AFTER_S = 60;

/**
 * Throws `rate_limited` when an organization stores more than `maxBytes`. The status is 429 and not 409, because a 409
 * means for the caller of a submission that the job exists already.
 */
export function createStoredLimit(options: {
  maxBytes: number;
  storedBytesOf(orgId: OrgId): Promise<number>;
}): (orgId: OrgId) => Promise<void> {
  const { maxBytes } = options;
  // The cast: every key is the id of an organization.
  const stored = createLookup({ ...RECENT, load: (orgId) => options.storedBytesOf(orgId as OrgId) });
  return async (orgId) => {
    const bytes = await stored.get(orgId);
    if (bytes <= maxBytes) return;
    throw rateLimited(
      `Your organization stores about ${bytes} bytes of jobs, files and messages; the limit is ${maxBytes}.`,
      usedUp(maxBytes, RETRY_AFTER_S),
    );
  };
}
