import type { OrgId } from '@jobline/contracts';
import { elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';
import { createBulkDetector } from './bulk-detector.js';

/**
 * How much of a queue is kept in Redis: about its window of entries that wait or are active, and a bounded number of
 * delayed ones. The rest waits in Postgres, where it can be shared out fairly and costs Redis nothing.
 */
export interface Window {
  /**
   * Takes a place for an entry of an organization's. Null: there is none, or nobody knows because Redis does not answer, or
   * the organization has jobs waiting in Postgres, which this one is not to overtake.
   */
  reserve(queue: string, orgId: OrgId): QueuePriority | null;
  /** Gives places back that were not used. */
  release(queue: string, count: number): void;
  /** The entries of places taken are in Redis now, or will never be. */
  confirm(queue: string, count: number): void;
  /** Takes a place among the delayed entries for an organization's. False: its retries, or those of all, are too many. */
  reserveDelayed(queue: string, orgId: OrgId): boolean;
}

/** 'low': after all entries that are not, because its organization submits much. */
export type QueuePriority = 'normal' | 'low';

/** The rest of a window is kept for those whose queuePriority is'normal' and so is a share of the slots. */
const LOW_PRIORITY_SHARE = 0.8;
const RESERVED_SHARE = 1 / 10;
/** Delayed entries per queue; retries beyond wait in Postgres. */
const MAX_DELAYED = 2_000;
/** Counts are asked for again when they are older. Own adds are counted at once. */
const FRESH_FOR_MS = 100;
/** Until the feeder has published that an organization's jobs wait. */
const PUBLISHED_WITHIN_MS = 500;
const MAX_REMEMBERED = 10_000;

interface Capacity {
  free: number;
  /** So many of the free places are for those whose queuePriority is'normal' */
  reserved: number;
  freeDelayed: number;
  /** Places taken whose entries are not in Redis yet, so that the counts do not have them. */
  pending: number;
  slots: number;
  /** Organizations whose slow jobs hold more than their share: theirs wait in Postgres. */
  overShare: ReadonlySet<string>;
  /** Organizations with jobs waiting in Postgres, as published; null: all. */
  waitingOrgs: ReadonlySet<string> | null;
  /** Until when organizations whose jobs were refused a place here count as waiting. */
  refusedUntilMs: Map<OrgId, number>;
  askedAt: number;
  isAsking: boolean;
}

/** How many of a window's places those may have that are'low' */
export function lowPriorityCapacity(window: number): number {
  return Math.ceil(LOW_PRIORITY_SHARE * window);
}

/** How many of so many slots are kept from entries that are'low' A few slots leave none to keep. */
export function reservedSlots(slots: number): number {
  return Math.floor(RESERVED_SHARE * slots);
}

export function createWindow(queues: readonly string[], producer: Pick<Producer, 'count' | 'onReady'>): Window {
  const capacities = new Map(
    queues.map((queue): [string, Capacity] => [
      queue,
      {
        free: 0,
        reserved: 0,
        freeDelayed: 0,
        pending: 0,
        slots: Number.POSITIVE_INFINITY,
        overShare: new Set(),
        waitingOrgs: new Set(),
        refusedUntilMs: new Map(),
        askedAt: -FRESH_FOR_MS,
        isAsking: false,
      },
    ]),
  );
  const isBulk = createBulkDetector();

  function capacityOf(queue: string): Capacity {
    const capacity = capacities.get(queue);
    if (!capacity) throw new Error(`no queue "${queue}"`);
    if (!capacity.isAsking && elapsedMs(capacity.askedAt) >= FRESH_FOR_MS) void refresh(queue, capacity);
    return capacity;
  }

  /** In the background: whoever takes a place meanwhile goes by what was known. Never rejects. */
  async function refresh(queue: string, capacity: Capacity): Promise<void> {
    capacity.isAsking = true;
    capacity.askedAt = performance.now();
    const counts = await producer.count(queue);
    capacity.free = counts ? counts.window - counts.waiting - counts.active - capacity.pending : 0;
    capacity.reserved = counts ? counts.window - lowPriorityCapacity(counts.window) : 0;
    capacity.freeDelayed = counts ? MAX_DELAYED - counts.delayed : 0;
    capacity.slots = counts?.slots ?? capacity.slots;
    if (counts) Object.assign(capacity, { overShare: counts.overShare, waitingOrgs: counts.waitingOrgs });
    capacity.isAsking = false;
  }

  producer.onReady(() => {
    for (const [queue, capacity] of capacities) void refresh(queue, capacity);
  });

  return {
    reserve(queue, orgId) {
      const capacity = capacityOf(queue);
      const queuePriority = isBulk(queue, orgId, capacity.slots) ? 'low' : 'normal';
      if (isWaiting(capacity, orgId)) return null;
      if (capacity.free <= (queuePriority === 'low' ? capacity.reserved : 0) || capacity.overShare.has(orgId)) {
        // To forget is harmless: a job may then overtake others of its organization.
        if (capacity.refusedUntilMs.size >= MAX_REMEMBERED) capacity.refusedUntilMs.clear();
        capacity.refusedUntilMs.set(orgId, performance.now() + PUBLISHED_WITHIN_MS);
        return null;
      }
      capacity.free--;
      capacity.pending++;
      return queuePriority;
    },
    release(queue, count) {
      const capacity = capacityOf(queue);
      capacity.free += count;
      capacity.pending -= count;
    },
    confirm(queue, count) {
      capacityOf(queue).pending -= count;
    },
    reserveDelayed(queue, orgId) {
      const capacity = capacityOf(queue);
      if (capacity.freeDelayed <= 0 || capacity.overShare.has(orgId) || isBulk(queue, orgId, capacity.slots))
        return false;
      capacity.freeDelayed--;
      return true;
    },
  };
}

function isWaiting(capacity: Capacity, orgId: OrgId): boolean {
  if (capacity.waitingOrgs === null || capacity.waitingOrgs.has(orgId)) return true;
  return performance.now() < (capacity.refusedUntilMs.get(orgId) ?? 0);
}
