import { AppError, type OrgId } from '@jobline/contracts';
import { countPending, type Db } from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';

/** The operator's bound of an organization's pending jobs. */
export type BacklogLimit = ReturnType<typeof createBacklogLimit>;

const RETRY_AFTER_S = 5;
/** A count is used for this time, if the processes together cannot submit as many jobs meanwhile as are left. */
const FRESH_FOR_MS = 200;
const FAR_BELOW = 10_000;
const MAX_REMEMBERED = 10_000;

export function createBacklogLimit({ db, maxWaiting }: { db: Db; maxWaiting: number }) {
  const counts = new Map<OrgId, { pending: number; countedAt: number }>();

  async function count(orgId: OrgId, more: number, max: number): Promise<{ pending: number }> {
    const known = counts.get(orgId);
    if (known && elapsedMs(known.countedAt) < FRESH_FOR_MS && known.pending + more <= max - FAR_BELOW) return known;
    if (counts.size >= MAX_REMEMBERED) counts.clear();
    const counted = { pending: await countPending(db, orgId, max + 1), countedAt: performance.now() };
    counts.set(orgId, counted);
    return counted;
  }

  return {
    /** The error if the organization may not have `count` more pending jobs. Exact for requests that follow each other. */
    async excess(orgId: OrgId, more: number): Promise<AppError | null> {
      const counted = await count(orgId, more, maxWaiting);
      if (counted.pending + more > maxWaiting) return tooMany(counted.pending, more, maxWaiting);
      counted.pending += more;
      return null;
    },
    /** How many of `count` more pending jobs the organization may have. */
    async capacity(orgId: OrgId, more: number): Promise<number> {
      const counted = await count(orgId, more, maxWaiting);
      const capacity = Math.max(0, Math.min(more, maxWaiting - counted.pending));
      counted.pending += capacity;
      return capacity;
    },
  };
}

function tooMany(pending: number, more: number, max: number): AppError {
  const has = pending > max ? `more than ${max}` : `${pending}`;
  const message =
    `Your organization has ${has} pending jobs, and may have ${max}; ${more} more would exceed that. ` +
    `Wait until some have run, and try again in ${RETRY_AFTER_S} s.`;
  return new AppError('rate_limited', message, {
    headers: {
      'Retry-After': String(RETRY_AFTER_S),
      'RateLimit-Limit': String(max),
      'RateLimit-Remaining': String(Math.max(0, max - pending)),
      'RateLimit-Reset': String(RETRY_AFTER_S),
    },
  });
}
