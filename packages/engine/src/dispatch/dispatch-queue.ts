import type { OrgId } from '@jobline/contracts';
import type { Db, HotDb, QueueSlots } from '@jobline/db';
import {
  listOccupancies,
  listWaiting,
  listWaitingOrgs,
  type Occupancy,
  type Position,
  type WaitingJob,
} from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from '../events.js';
import type { Producer } from '../queue/producer.js';
import { createDispatchedEntries, type TypeLimit } from './dispatched.js';
import type { Shares } from './shares.js';
import { lowPriorityCapacity, reservedSlots } from './window.js';

/** What is known of a queue's workers. */
export interface QueueWindow {
  /** How many entries it should hold. */
  size: number;
  slots: QueueSlots;
  shares: Shares;
  /** How many jobs each organization ran a moment ago. */
  running: ReadonlyMap<OrgId, number>;
}

/** Moves a queue's waiting jobs to Redis while there is capacity, in turns of the organizations. */
export interface QueueDispatcher {
  /**
   * Adds what there is capacity for. `isLook`: looks for organizations that wait, and at the first jobs of each; else goes on
   * where it was. Answers how long Postgres took, in ms.
   */
  round(window: QueueWindow, isLook: boolean): Promise<number>;
  /** The organizations that had jobs left in Postgres after the last round; null: too many to name. */
  waitingOrgs(): ReadonlySet<OrgId> | null;
  /** Nothing waits. */
  clear(): void;
}

/** Organizations that take turns in one round; others follow in the next. */
const MAX_ORGS = 100;
/** While there is no capacity, organizations that run few have a turn of their own so often. */
const FEW_EVERY_MS = 100;
/** Of the slots that are kept from floods, so many are few. */
const SHARE_OF_KEPT = 1 / 4;
/** Entries of a type that only some of the queue's workers have: at least so many. */
const MIN_OF_TYPE = 20;

export function createQueueDispatcher(
  deps: { db: Db; hot: HotDb; producer: Producer; events: EngineEvents },
  queue: string,
): QueueDispatcher {
  const { db, hot, producer, events } = deps;
  const dispatched = createDispatchedEntries(producer);
  let orgs: readonly OrgId[] = [];
  let isNamingAll = true;
  /** Organizations all of whose jobs were added when they were last listed: what they submit next overtakes none in Postgres. */
  let emptied = new Set<OrgId>();
  let positions = new Map<OrgId, Position>();
  let served: OrgId | null = null;
  let fewAt = Number.NEGATIVE_INFINITY;

  /** Whose turn it is: the organizations after the last one that was served, then those before it. */
  async function look(): Promise<void> {
    const after = served;
    const next = await listWaitingOrgs(hot, queue, { after, limit: MAX_ORGS });
    const others =
      after === null || next.length === MAX_ORGS
        ? []
        : await listWaitingOrgs(hot, queue, { after: null, limit: MAX_ORGS - next.length });
    orgs = [...next, ...others.filter((org) => after !== null && org <= after)];
    isNamingAll = orgs.length < MAX_ORGS;
    positions = new Map([...positions].filter(([org]) => orgs.includes(org)));
    emptied = new Set([...emptied].filter((org) => orgs.includes(org)));
  }

  async function list(orgIds: readonly OrgId[], limit: number, isLook: boolean, limitOf: TypeLimit) {
    const from = orgIds.flatMap((orgId) => {
      const after = isLook ? null : positions.get(orgId);
      return after === undefined ? [] : [{ orgId, after }];
    });
    const types = dispatched.fullTypes(limitOf);
    const rows = await listWaiting(hot, queue, from, { limit, except: { keys: dispatched.keys(), types } });
    for (const { orgId, priority, runAt, key } of rows) positions.set(orgId, { priority, runAt, key });
    const listed = rows.filter(({ isListed }) => isListed);
    const entries = dispatched.within(listed, limitOf);
    const isAll = types.length === 0 && entries.length === rows.length;
    const isListedWhole = isAll ? belowShare(limit / from.length, entries) : () => false;
    for (const { orgId } of from) {
      if (isListedWhole(orgId)) emptied.add(orgId);
      else emptied.delete(orgId);
    }
    return entries;
  }

  /**
   * Jobs of organizations that run few, to go ahead of what is behind in Redis already: theirs would wait for all of that,
   * though slots are kept for them. `normalCount` are there to go ahead.
   */
  async function listFew(
    within: readonly OrgId[],
    { slots, running }: QueueWindow,
    normalCount: number,
    isLook: boolean,
    limitOf: TypeLimit,
  ): Promise<WaitingJob[]> {
    const few = Math.ceil(SHARE_OF_KEPT * reservedSlots(slots.all));
    const isSmall = (org: OrgId, counts: ReadonlyMap<OrgId, number>) => (counts.get(org) ?? 0) < few;
    if (few <= normalCount || !within.some((org) => isSmall(org, running))) return [];
    const now = runningOf(queue, await listOccupancies(db));
    const small = within.filter((org) => isSmall(org, now));
    return small.length > 0 ? list(small, few - normalCount, isLook, limitOf) : [];
  }

  async function add(entries: readonly WaitingJob[], isLowPriority = true): Promise<void> {
    const last = entries.at(-1);
    if (!last) return;
    if (!(await producer.add(entries.map((entry) => ({ ...entry, delayMs: 0, isLowPriority }))))) {
      for (const { orgId } of entries) emptied.delete(orgId);
      return;
    }
    dispatched.remember(entries);
    served = last.orgId;
    events.emit('jobs.dispatched', { queue, count: entries.length });
  }

  return {
    async round(window, isLook) {
      const { size, slots, shares } = window;
      const counts = await producer.count(queue);
      if (!counts) return 0;
      const inRedis = counts.waiting + counts.active;
      const capacity = lowPriorityCapacity(size) - inRedis;
      const isFewTurn = counts.lowPriority > 0 && (capacity > 0 || elapsedMs(fewAt) >= FEW_EVERY_MS);
      if (capacity <= 0 && !isFewTurn) return 0;
      const limitOf = limitsOf(slots);
      await dispatched.check(counts.lowPriority + counts.active + counts.delayed, limitOf);

      const startedAt = performance.now();
      if (isLook) await look();
      const within = orgs.filter((org) => !shares.over.has(org));
      if (isFewTurn) {
        fewAt = performance.now();
        const normalCount = counts.waiting - counts.lowPriority;
        await add(await listFew(within, window, normalCount, isLook, limitOf), false);
      }
      if (capacity <= 0) return elapsedMs(startedAt);
      const entries = await list(within, capacity, isLook, limitOf);
      // Theirs never wait in Redis, in front of what others submit next: only slots that are free now are for them.
      const free = Math.min(capacity, slots.all - reservedSlots(slots.all) - inRedis) - entries.length;
      if (shares.mayFill && free > 0) {
        const over = orgs.filter((org) => shares.over.has(org));
        entries.push(...(await list(over, free, isLook, limitOf)));
      }
      const tookMs = elapsedMs(startedAt);
      await add(dispatched.within(entries, limitOf));
      return tookMs;
    },
    waitingOrgs: () => (isNamingAll ? new Set(orgs.filter((org) => !emptied.has(org))) : null),
    clear() {
      orgs = [];
      isNamingAll = true;
      positions.clear();
      emptied.clear();
    },
  };
}

/** Whether so few of an organization's were listed that there are no more. */
function belowShare(share: number, entries: readonly WaitingJob[]): (orgId: OrgId) => boolean {
  const counts = new Map<OrgId, number>();
  for (const { orgId } of entries) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
  return (orgId) => (counts.get(orgId) ?? 0) < Math.floor(share);
}

/** How many jobs of a queue each organization runs. */
export function runningOf(queue: string, occupancies: readonly Occupancy[]): ReadonlyMap<OrgId, number> {
  return new Map(occupancies.filter((one) => one.queue === queue).map((one) => [one.orgId, one.running]));
}

/**
 * A worker without the handler gives an entry back, to wait in Redis. So of a type that not all workers have, Redis gets no
 * more than those that have it need: the jobs behind it go on.
 */
function limitsOf({ all, byType }: QueueSlots): TypeLimit {
  return (type) => {
    const slots = byType.get(type) ?? 0;
    return slots === all ? Number.POSITIVE_INFINITY : Math.max(MIN_OF_TYPE, 2 * slots);
  };
}
