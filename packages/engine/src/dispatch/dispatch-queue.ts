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
import { type Entry, entryOf } from '../queue/entry.js';
import { chunkEntryId } from '../queue/names.js';
import type { Producer } from '../queue/producer.js';
import { chunkSize, inChunks } from './chunks.js';
import { createDispatchedEntries, type TypeLimit } from './dispatched.js';
import type { Shares } from './over-share.js';
import { jobsInRedis, lowPriorityCapacity, reservedSlots } from './window.js';

/** The state of a queue and its workers. */
export interface QueueWindow {
  /** Maximum number of jobs in the queue in Redis. */
  size: number;
  slots: QueueSlots;
  shares: Shares;
  /** How many jobs each organization ran at the last renewal. */
  running: ReadonlyMap<OrgId, number>;
}

/**
 * Adds entries of a queue's waiting jobs to Redis while there is capacity, round-robin over the organizations. The rows do
 * not change.
 */
export interface QueueDispatcher {
  /**
   * Adds jobs up to the capacity. With `isProbe` it lists the organizations with waiting jobs, and the first jobs of
   * each; otherwise it continues at the previous position. Returns the time that Postgres took, in ms.
   */
  round(window: QueueWindow, isProbe: boolean): Promise<number>;
  /** The organizations that had jobs left in Postgres after the last round. Null if there are too many to list. */
  waitingOrgs(): ReadonlySet<OrgId> | null;
  /** Resets the state when no jobs wait. */
  clear(): void;
}

/** Maximum number of organizations in one round. The others follow in the next round. */
const MAX_ORGS = 100;
/** How often organizations with few running jobs are dispatched separately while there is no capacity. */
const SMALL_ORGS_EVERY_MS = 100;
/**
 * An organization runs few jobs if they use less than this share of the slots that are reserved for normal priority.
 */
const SMALL_SHARE_OF_RESERVED = 1 / 4;
/** Minimum number of entries of a type that only some of the workers handle. */
const MIN_OF_TYPE = 20;

export function createQueueDispatcher(
  deps: { db: Db; hot: HotDb; producer: Producer; events: EngineEvents },
  queue: string,
): QueueDispatcher {
  const { db, hot, producer, events } = deps;
  const dispatched = createDispatchedEntries(producer);
  let orgs: readonly OrgId[] = [];
  let hasListedAll = true;
  /**
   * Organizations whose waiting jobs were all added by the last listing: their next submissions overtake no job in
   * Postgres.
   */
  let emptied = new Set<OrgId>();
  let positions = new Map<OrgId, Position>();
  let lastDispatched: OrgId | null = null;
  let smallOrgsAt = Number.NEGATIVE_INFINITY;
  // Each chunk gets a new number, because an earlier chunk with the same first job may carry other jobs.
  let chunkNumber = 1 + Math.floor(Math.random() * 1e12);

  /** Lists the organizations to dispatch next: those after the last dispatched one, then those before it. */
  async function listOrgs(): Promise<void> {
    const after = lastDispatched;
    const next = await listWaitingOrgs(hot, queue, { after, limit: MAX_ORGS });
    const others =
      after === null || next.length === MAX_ORGS
        ? []
        : await listWaitingOrgs(hot, queue, { after: null, limit: MAX_ORGS - next.length });
    orgs = [...next, ...others.filter((org) => after !== null && org <= after)];
    hasListedAll = orgs.length < MAX_ORGS;
    positions = new Map([...positions].filter(([org]) => orgs.includes(org)));
    emptied = new Set([...emptied].filter((org) => orgs.includes(org)));
  }

  async function list(orgIds: readonly OrgId[], limit: number, isProbe: boolean, limitOf: TypeLimit) {
    const from = orgIds.flatMap((orgId) => {
      const after = isProbe ? null : positions.get(orgId);
      return after === undefined ? [] : [{ orgId, after }];
    });
    const types = dispatched.fullTypes(limitOf);
    const rows = await listWaiting(hot, queue, from, { limit, except: { keys: dispatched.keys(), types } });
    for (const { orgId, priority, runAt, key } of rows) positions.set(orgId, { priority, runAt, key });
    const listed = rows.filter(({ isListed }) => isListed);
    const entries = dispatched.within(listed, limitOf);
    const isAll = types.length === 0 && entries.length === rows.length;
    const hasNoMore = isAll ? belowShare(limit / from.length, entries) : () => false;
    for (const { orgId } of from) {
      if (hasNoMore(orgId)) emptied.add(orgId);
      else emptied.delete(orgId);
    }
    return entries;
  }

  /**
   * Lists jobs of organizations that run few jobs, to add them with normal priority: behind the low-priority entries
   * they would wait for all of those, although slots are reserved for them. `normalCount` is the number of normal
   * entries that already wait.
   */
  async function listOfSmallOrgs(
    within: readonly OrgId[],
    { slots, running }: QueueWindow,
    normalCount: number,
    isProbe: boolean,
    limitOf: TypeLimit,
  ): Promise<WaitingJob[]> {
    const few = Math.ceil(SMALL_SHARE_OF_RESERVED * reservedSlots(slots.all));
    const isSmall = (org: OrgId, counts: ReadonlyMap<OrgId, number>) => (counts.get(org) ?? 0) < few;
    if (few <= normalCount || !within.some((org) => isSmall(org, running))) return [];
    const now = runningOf(queue, await listOccupancies(db));
    const small = within.filter((org) => isSmall(org, now));
    return small.length > 0 ? list(small, few - normalCount, isProbe, limitOf) : [];
  }

  /** Adds the jobs in chunks. Jobs of a type with a limit are not mixed with others, which more workers can run. */
  async function add(jobs: readonly WaitingJob[], slots: QueueSlots, isLowPriority = true): Promise<void> {
    const last = jobs.at(-1);
    if (!last) return;
    const limitOf = limitsOf(slots);
    const chunks = inChunks(
      jobs,
      ({ orgId, type }) => (limitOf(type) < Number.POSITIVE_INFINITY ? `${orgId} ${type}` : orgId),
      () => (isLowPriority ? chunkSize(slots.smallest) : 1),
    );
    const entries = chunks.map((chunk) => toEntry(chunk, isLowPriority, ++chunkNumber));
    if (!(await producer.add(entries))) {
      for (const { orgId } of jobs) emptied.delete(orgId);
      return;
    }
    for (const [i, entry] of entries.entries()) dispatched.remember(entry, chunks[i] ?? []);
    lastDispatched = last.orgId;
    events.emit('jobs.dispatched', { queue, count: jobs.length });
  }

  /** Returns the free slots that are not reserved. Entries in Redis count as if they ran. */
  async function countFreeSlots(slots: QueueSlots, inRedis: number): Promise<number> {
    const running = [...runningOf(queue, await listOccupancies(db)).values()].reduce((sum, count) => sum + count, 0);
    return slots.all - reservedSlots(slots.all) - running - inRedis;
  }

  return {
    async round(window, isProbe) {
      const { size, slots, shares } = window;
      const counts = await producer.count(queue);
      if (!counts) return 0;
      const inRedis = jobsInRedis(counts);
      const capacity = lowPriorityCapacity(size) - inRedis;
      const isSmallOrgsDue = counts.lowPriority > 0 && (capacity > 0 || elapsedMs(smallOrgsAt) >= SMALL_ORGS_EVERY_MS);
      if (capacity <= 0 && !isSmallOrgsDue) return 0;
      const limitOf = limitsOf(slots);
      await dispatched.check(counts.chunk * (counts.lowPriority + counts.active + counts.delayed), limitOf);

      const startedAt = performance.now();
      if (isProbe) await listOrgs();
      const within = orgs.filter((org) => !shares.over.has(org));
      if (isSmallOrgsDue) {
        smallOrgsAt = performance.now();
        const normalCount = counts.waiting - counts.lowPriority;
        await add(await listOfSmallOrgs(within, window, normalCount, isProbe, limitOf), slots, false);
      }
      if (capacity <= 0) return elapsedMs(startedAt);
      const entries = await list(within, capacity, isProbe, limitOf);
      // Organizations over their share get only slots that are free now, so that their entries never wait in Redis
      // before later submissions of others.
      const over = shares.mayFill ? orgs.filter((org) => shares.over.has(org)) : [];
      if (over.length > 0) {
        const free = Math.min(capacity, await countFreeSlots(slots, inRedis)) - entries.length;
        if (free > 0) entries.push(...(await list(over, free, isProbe, limitOf)));
      }
      const tookMs = elapsedMs(startedAt);
      await add(dispatched.within(entries, limitOf), slots);
      return tookMs;
    },
    waitingOrgs: () => (hasListedAll ? new Set(orgs.filter((org) => !emptied.has(org))) : null),
    clear() {
      orgs = [];
      hasListedAll = true;
      positions.clear();
      emptied.clear();
    },
  };
}

function toEntry(chunk: readonly [WaitingJob, ...WaitingJob[]], isLowPriority: boolean, chunkNumber: number): Entry {
  const [first] = chunk;
  const entry = entryOf(first, { isLowPriority });
  if (chunk.length === 1) return entry;
  return { ...entry, id: chunkEntryId(first.key, chunkNumber), keys: chunk.map(({ key }) => key) };
}

/** Returns whether so few jobs of an organization were listed that it has no more. */
function belowShare(share: number, entries: readonly WaitingJob[]): (orgId: OrgId) => boolean {
  const counts = new Map<OrgId, number>();
  for (const { orgId } of entries) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
  return (orgId) => (counts.get(orgId) ?? 0) < Math.floor(share);
}

/** Returns how many jobs of a queue each organization runs. */
export function runningOf(queue: string, occupancies: readonly Occupancy[]): ReadonlyMap<OrgId, number> {
  return new Map(occupancies.filter((one) => one.queue === queue).map((one) => [one.orgId, one.running]));
}

/**
 * Limits the entries of types that only some of the workers handle to what those workers need. A worker without the
 * handler delays such an entry, so too many of them would block the jobs after them.
 */
function limitsOf({ all, byType }: QueueSlots): TypeLimit {
  return (type) => {
    const slots = byType.get(type) ?? 0;
    return slots === all ? Number.POSITIVE_INFINITY : Math.max(MIN_OF_TYPE, 2 * slots);
  };
}
