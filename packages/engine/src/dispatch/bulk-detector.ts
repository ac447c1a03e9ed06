import type { OrgId } from '@jobline/contracts';

/**
 * Notes that an organization has a job for a queue, and answers whether it has many of them at the moment: more in a second
 * than a tenth of what the queue's workers run at one time, within bounds.
 */
export type IsBulk = (queue: string, orgId: OrgId, slots?: number) => boolean;

const SHARE_OF_SLOTS = 1 / 10;
const MIN_FEW = 3;
const MAX_FEW = 20;
const SECOND_MS = 1_000;
/** For so long after the last one: what comes then would overtake them. */
const LASTS_MS = 5_000;
const MAX_REMEMBERED = 10_000;

interface Recent {
  sinceMs: number;
  count: number;
  bulkUntilMs: number;
}

/** As this process sees it: each counts for itself. */
export function createBulkDetector(nowMs: () => number = () => performance.now()): IsBulk {
  const recent = new Map<string, Recent>();
  return (queue, orgId, slots = Number.POSITIVE_INFINITY) => {
    const now = nowMs();
    const of = `${queue} ${orgId}`;
    let known = recent.get(of);
    if (!known) {
      // To forget is harmless: somebody's many then begin as few.
      if (recent.size >= MAX_REMEMBERED) recent.clear();
      known = { sinceMs: now, count: 0, bulkUntilMs: now };
      recent.set(of, known);
    }
    if (now - known.sinceMs >= SECOND_MS) Object.assign(known, { sinceMs: now, count: 0 });
    if (++known.count > Math.min(MAX_FEW, Math.max(MIN_FEW, SHARE_OF_SLOTS * slots)))
      known.bulkUntilMs = now + LASTS_MS;
    return now < known.bulkUntilMs;
  };
}
