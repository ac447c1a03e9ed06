import type { OrgId } from '@jobline/contracts';
import { elapsedMs } from '@jobline/runtime';
import { MAX_OPEN_QUEUES, type Producer } from '../queue/producer.js';

/**
 * Limits how much of a queue is in Redis: about its window of jobs whose entries wait, and a bounded number of
 * delayed entries. The rest waits in Postgres, where it can be distributed fairly and costs Redis nothing.
 */
export type Window = ReturnType<typeof createWindow>;

/** A low-priority entry comes after all normal ones, because its organization submits in bulk. */
export type QueuePriority = 'normal' | 'low';

/** Share of a window for entries of held jobs and of bulk submissions. The rest of the window is reserved for the others. */
const LOW_PRIORITY_SHARE = 0.8;
/** Maximum number of delayed entries per queue. Further retries wait in Postgres. */
const MAX_DELAYED = 2_000;
/** Counts are read again when they are older than this. Own adds are counted immediately. */
const FRESH_FOR_MS = 100;
/** Time after which the dispatcher has published that jobs of an organization wait. */
const PUBLISHED_WITHIN_MS = 500;
const MAX_REMEMBERED = 10_000;

interface Capacity {
  free: number;
  /** This part of the free capacity is reserved for normal priority. */
  reserved: number;
  freeDelayed: number;
  /** Jobs with reserved capacity that are not in Redis yet, so that the counts do not include them. */
  pending: number;
  slots: number;
  /** Organizations whose slow jobs use more than their share of the slots: their jobs wait in Postgres. */
  overShare: ReadonlySet<string>;
  /** Organizations with jobs waiting in Postgres, as published. Null means all. */
  waitingOrgs: ReadonlySet<string> | null;
  /** Organizations that got no capacity here, and the time until which they count as waiting. */
  waitsUntilMs: Map<OrgId, number>;
  loadedAt: number;
  isLoading: boolean;
}

/** Returns how many jobs of a window may have low priority. */
export function lowPriorityCapacity(window: number): number {
  return Math.ceil(LOW_PRIORITY_SHARE * window);
}

/** `queues`: those whose capacity is known as soon as Redis answers. Every other becomes known when it is used first. */
export function createWindow(queues: readonly string[], producer: Pick<Producer, 'count' | 'onReady'>) {
  const capacities = new Map(queues.map((queue) => [queue, unknownCapacity()]));
  const isBulk = createBulkDetector();

  /** Forgets a queue if there are too many. Its capacity is read again when it is used. */
  function forgetOne(): void {
    if (capacities.size < MAX_OPEN_QUEUES) return;
    const idle = [...capacities].find(([, { pending, isLoading }]) => pending === 0 && !isLoading);
    if (idle) capacities.delete(idle[0]);
  }

  function capacityOf(queue: string): Capacity {
    const known = capacities.get(queue);
    if (!known) forgetOne();
    const capacity = known ?? unknownCapacity();
    // Deleted first, so that the order of the map is the order of use.
    capacities.delete(queue);
    capacities.set(queue, capacity);
    if (!capacity.isLoading && elapsedMs(capacity.loadedAt) >= FRESH_FOR_MS) void refresh(queue, capacity);
    return capacity;
  }

  /** Reads the counts in the background. Meanwhile the previous counts are used. Never rejects. */
  async function refresh(queue: string, capacity: Capacity): Promise<void> {
    capacity.isLoading = true;
    capacity.loadedAt = performance.now();
    const counts = await producer.count(queue);
    capacity.free = counts ? counts.window - counts.waiting - counts.active - capacity.pending : 0;
    capacity.reserved = counts ? counts.window - lowPriorityCapacity(counts.window) : 0;
    capacity.freeDelayed = counts ? MAX_DELAYED - counts.delayed : 0;
    capacity.slots = counts?.slots ?? capacity.slots;
    if (counts) Object.assign(capacity, { overShare: counts.overShare, waitingOrgs: counts.waitingOrgs });
    capacity.isLoading = false;
  }

  producer.onReady(() => {
    for (const [queue, capacity] of capacities) void refresh(queue, capacity);
  });

  return {
    /**
     * Reserves capacity for one job of an organization. Returns null if there is none, if the counts are unknown
     * because Redis does not answer, or if the organization has jobs waiting in Postgres, which this job must not
     * overtake.
     */
    reserve(queue: string, orgId: OrgId): QueuePriority | null {
      const capacity = capacityOf(queue);
      const queuePriority = isBulk(queue, orgId, capacity.slots) ? 'low' : 'normal';
      if (isWaiting(capacity, orgId)) return null;
      if (capacity.free <= (queuePriority === 'low' ? capacity.reserved : 0) || capacity.overShare.has(orgId)) {
        // Forgetting is safe. The only effect is that a job may overtake other jobs of its organization.
        if (capacity.waitsUntilMs.size >= MAX_REMEMBERED) capacity.waitsUntilMs.clear();
        capacity.waitsUntilMs.set(orgId, performance.now() + PUBLISHED_WITHIN_MS);
        return null;
      }
      capacity.free--;
      capacity.pending++;
      return queuePriority;
    },
    /** Releases reserved capacity that was not used. */
    release(queue: string, count: number): void {
      const capacity = capacityOf(queue);
      capacity.free += count;
      capacity.pending -= count;
    },
    /** The jobs with reserved capacity are in Redis now, or will never be. */
    confirm(queue: string, count: number): void {
      capacityOf(queue).pending -= count;
    },
    /**
     * Reserves capacity for a delayed entry of an organization. Returns false if its retries, or all retries together,
     * are too many.
     */
    reserveDelayed(queue: string, orgId: OrgId): boolean {
      const capacity = capacityOf(queue);
      if (capacity.freeDelayed <= 0 || capacity.overShare.has(orgId) || isBulk(queue, orgId, capacity.slots))
        return false;
      capacity.freeDelayed--;
      return true;
    },
  };
}

function unknownCapacity(): Capacity {
  return {
    free: 0,
    reserved: 0,
    freeDelayed: 0,
    pending: 0,
    slots: Number.POSITIVE_INFINITY,
    overShare: new Set(),
    waitingOrgs: new Set(),
    waitsUntilMs: new Map(),
    loadedAt: -FRESH_FOR_MS,
    isLoading: false,
  };
}

function isWaiting(capacity: Capacity, orgId: OrgId): boolean {
  if (capacity.waitingOrgs === null || capacity.waitingOrgs.has(orgId)) return true;
  return performance.now() < (capacity.waitsUntilMs.get(orgId) ?? 0);
}

/**
 * Records one more job of an organization for a queue. Returns whether the organization now submits in bulk: within one
 * second more jobs than a tenth of the slots of the queue (but at least 3, and at most 20).
 */
type IsBulk = (queue: string, orgId: OrgId, slots?: number) => boolean;

const SHARE_OF_SLOTS = 1 / 10;
const MIN_THRESHOLD = 3;
const MAX_THRESHOLD = 20;
const SECOND_MS = 1_000;
/**
 * An organization keeps the low priority for this time after its last excess job: otherwise later jobs would overtake
 * the earlier ones.
 */
const LASTS_MS = 5_000;

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
