import type { OrgId } from '@jobline/contracts';

/**
 * Records one more job of an organization for a queue. Returns whether the organization now submits in bulk: within one
 * second more jobs than a tenth of the slots of the queue (but at least 3, and at most 20).
 */
export type IsBulk = (queue: string, orgId: OrgId, slots?: number) => boolean;

const SHARE_OF_SLOTS = 1 / 10;
const MIN_THRESHOLD = 3;
const MAX_THRESHOLD = 20;
const SECOND_MS = 1_000;
/**
 * An organization keeps the low priority for this time after its last excess job: otherwise later jobs would overtake
 * the earlier ones.
 */
const LASTS_MS = 5_000;
const MAX_REMEMBERED = 10_000;

interface Recent {
  sinceMs: number;
  count: number;
  bulkUntilMs: number;
}

/** Detects bulk submissions. Each process counts only its own jobs. */
export function createBulkDetector(nowMs: () => number = () => performance.now()): IsBulk {
  const recent = new Map<string, Recent>();
  return (queue, orgId, slots = Number.POSITIVE_INFINITY) => {
    const now = nowMs();
    const id = `${queue} ${orgId}`;
    let known = recent.get(id);
    if (!known) {
      // Forgetting is safe: a bulk submission only starts below the threshold again.
      if (recent.size >= MAX_REMEMBERED) recent.clear();
      known = { sinceMs: now, count: 0, bulkUntilMs: now };
      recent.set(id, known);
    }
    if (now - known.sinceMs >= SECOND_MS) Object.assign(known, { sinceMs: now, count: 0 });
    if (++known.count > Math.min(MAX_THRESHOLD, Math.max(MIN_THRESHOLD, SHARE_OF_SLOTS * slots)))
      known.bulkUntilMs = now + LASTS_MS;
    return now < known.bulkUntilMs;
  };
}
