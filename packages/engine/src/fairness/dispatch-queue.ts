import type { JobKey, OrgId } from '@jobline/contracts';
import { type Db, type HotDb, type ListedHeld, listLimitedOrgs, type QueueSlots, retryDeadlocks } from '@jobline/db';
import {
  holdWaiting,
  type Load,
  listLoads,
  listWaiting,
  listWaitingOrgs,
  type Position,
  type WaitingJob,
} from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { HeldDispatcher, HeldQueue } from '../limits/held.js';
import { chunkEntryId, chunkSize, type Entry, entryOf, inChunks } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import { reservedSlots } from '../queue/slots.js';
import type { EngineEvents } from '../reporting/events.js';
import { createAllowances } from './allowances.js';
import { createDispatchedEntries, limitsOf, type TypeLimit } from './dispatched.js';
import { jobsInRedis, jobsOfDispatcher, lowPriorityCapacity } from './window.js';

/** The state of a queue and its workers. */
export interface QueueWindow {
  /** Maximum number of jobs in the queue in Redis. */
  size: number;
  slots: QueueSlots;
}

/**
 * Adds entries of a queue's waiting jobs to Redis while there is capacity, round-robin over the organizations. The rows do
 * not change.
 */
export type QueueDispatcher = ReturnType<typeof createQueueDispatcher>;

/** Maximum number of organizations in one round. The others follow in the next round. */
const MAX_ORGS = 100;
/** The interval between two measurements of what each organization runs. */
const MEASURE_EVERY_MS = 100;
/** After a measurement, the dispatcher rests for at least this multiple of the time that the measurement took. */
const REST_FACTOR = 10;
/**
 * An organization runs few jobs if they use less than this share of the slots that are reserved for normal priority.
 */
const SMALL_SHARE_OF_RESERVED = 1 / 4;
/** A new limit applies to waiting jobs after at most this time. */
const LIMITED_FOR_MS = 500;

export function createQueueDispatcher(
  deps: {
    db: Db;
    hot: HotDb;
    producer: Producer;
    events: EngineEvents;
    held: Pick<HeldDispatcher, 'hasLanes' | 'startingOrgs'>;
  },
  queue: string,
) {
  const { db, hot, producer, events, held } = deps;
  const dispatched = createDispatchedEntries(producer);
  let allowances = createAllowances();
  let orgs: readonly OrgId[] = [];
  let hasListedAll = true;
  /**
   * Organizations whose waiting jobs were all added by the last listing: their next submissions overtake no job in
   * Postgres.
   */
  let emptied = new Set<OrgId>();
  let positions = new Map<OrgId, Position>();
  let lastDispatched: OrgId | null = null;
  let measureAt = Number.NEGATIVE_INFINITY;
  /** What `openForHeld` has measured, for the next round. */
  let measured: readonly Load[] | null = null;
  /** The waiting organizations that have limits, and when they were read. */
  let limitedOrgs: ReadonlySet<OrgId> = new Set();
  let limitedAt = Number.NEGATIVE_INFINITY;
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

  /** The listed organizations, those after the last dispatched one first. */
  function inTurn(): readonly OrgId[] {
    const next = lastDispatched === null ? 0 : orgs.indexOf(lastDispatched) + 1;
    return [...orgs.slice(next), ...orgs.slice(0, next)];
  }

  /** Lists up to `limit` jobs, the same number for each organization, and of none more than its allowance. */
  async function list(limit: number, isProbe: boolean, limitOf: TypeLimit) {
    // The first job of an organization may be slow to find, so between probes only `limit` first jobs are looked for.
    let first = limit;
    const allowed = inTurn().filter((org) => allowances.of(org) > 0 && (isProbe || positions.has(org) || first-- > 0));
    if (allowed.length === 0) return [];
    const share = limit / allowed.length;
    const from = allowed.map((orgId) => ({
      orgId,
      after: isProbe ? null : (positions.get(orgId) ?? null),
      limit: Math.min(allowances.of(orgId), Math.ceil(share)),
    }));
    const types = dispatched.fullTypes(limitOf);
    const rows = await listWaiting(hot, queue, from, { limit, except: { entries: dispatched.entries(), types } });
    for (const { orgId, priority, runAt, key } of rows) positions.set(orgId, { priority, runAt, key });
    const listed = await withoutHeld(rows.filter(({ isListed }) => isListed));
    const entries = dispatched.within(listed, limitOf);
    const isAll = types.length === 0 && entries.length === rows.length;
    const counts = countsOf(entries);
    for (const { orgId, limit: own } of from) {
      if (isAll && (counts.get(orgId) ?? 0) < Math.min(own, Math.floor(share))) emptied.add(orgId);
      else emptied.delete(orgId);
    }
    return entries;
  }

  /** Makes those jobs held that have an entry and are under a limit by now: the claim of a held job checks its limits. */
  async function applyLimits(): Promise<void> {
    if (elapsedMs(limitedAt) <= LIMITED_FOR_MS) return;
    limitedAt = performance.now();
    const added = dispatched.entries().filter(({ isHeld }) => !isHeld);
    limitedOrgs = await listLimitedOrgs(db, [...new Set([...orgs, ...added.map(({ orgId }) => orgId)])]);
    const keys = added.filter(({ orgId }) => limitedOrgs.has(orgId)).map(({ key }) => key);
    if (keys.length > 0) await retryDeadlocks(() => holdWaiting(db, keys));
  }

  /** Makes jobs held that are under a limit by now, and returns the others. */
  async function withoutHeld(jobs: readonly WaitingJob[]): Promise<readonly WaitingJob[]> {
    const keys = jobs.filter(({ orgId }) => limitedOrgs.has(orgId)).map(({ key }) => key);
    if (keys.length === 0) return jobs;
    const nowHeld = await holdWaiting(db, keys);
    return jobs.filter(({ key }) => !nowHeld.has(key));
  }

  /** Measures what each organization runs, and computes from it how many jobs of each may be added. */
  async function measure({ size, slots }: QueueWindow, limitOf: TypeLimit): Promise<readonly Load[]> {
    const startedAt = performance.now();
    const loads = await listLoads(hot, queue, dispatched.unlimitedKeys(limitOf));
    // An old snapshot makes the statement slow.
    measureAt = performance.now() + Math.max(MEASURE_EVERY_MS, REST_FACTOR * elapsedMs(startedAt));
    // Without workers, the capacity is filled, so that a worker that starts finds jobs.
    const lowPrioritySlots = slots.all === 0 ? lowPriorityCapacity(size) : slots.all - reservedSlots(slots.all);
    allowances.update({ loads, waitingOrgs: [...new Set([...orgs, ...held.startingOrgs()])], slots: lowPrioritySlots });
    return loads;
  }

  /**
   * Adds the first jobs of organizations that run few jobs, with normal priority: low-priority entries wait for all those
   * before them, although slots are reserved. A job may have both entries, because only one of them gets the claim.
   * While slots are free for low-priority entries, it adds none: an organization may run few jobs only because its
   * entries have just been added. `normalCount` is the number of normal entries that already wait.
   */
  async function addOfSmallOrgs(loads: readonly Load[], slots: QueueSlots, normalCount: number): Promise<void> {
    const few = fewOf(slots);
    const limit = few - normalCount;
    const allRunning = loads.reduce((sum, load) => sum + load.running, 0);
    if (limit <= 0 || allRunning < slots.smallest - reservedSlots(slots.smallest)) return;
    const running = new Map(loads.map((load) => [load.orgId, load.running]));
    const from = orgs
      .filter((orgId) => (running.get(orgId) ?? 0) < few)
      .map((orgId) => ({ orgId, after: null, limit: few }));
    if (from.length === 0) return;
    const limitOf = limitsOf(slots);
    const except = { entries: dispatched.normalEntries(), types: dispatched.fullTypes(limitOf) };
    const rows = await listWaiting(hot, queue, from, { limit, except });
    const listed = await withoutHeld(rows.filter(({ isListed }) => isListed));
    await add(dispatched.within(listed, limitOf), slots, false);
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
    const unlimited = jobs.filter(({ type }) => limitOf(type) === Number.POSITIVE_INFINITY);
    for (const [orgId, count] of countsOf(unlimited)) allowances.use(orgId, count);
    lastDispatched = last.orgId;
    events.emit('jobs.dispatched', { queue, count: jobs.length });
  }

  /** Adds jobs under limits. Each has an entry of its own, because their claims are decided one by one. */
  async function addHeld(jobs: readonly ListedHeld[], normal: ReadonlySet<JobKey>): Promise<boolean> {
    const entries = jobs.map((job): Entry => {
      const isLowPriority = !normal.has(job.key);
      return { ...entryOf(job, { isLowPriority, lane: job.lane }), id: chunkEntryId(job.key, ++chunkNumber) };
    });
    if (!(await producer.add(entries))) return false;
    for (const [i, job] of jobs.entries()) {
      const entry = entries[i];
      if (entry) dispatched.remember(entry, [{ ...job, isHeld: true }]);
      allowances.use(job.orgId, 1);
    }
    events.emit('jobs.dispatched', { queue, count: jobs.length });
    return true;
  }

  return {
    /** Reads the state of the queue, to add jobs under limits. */
    async openForHeld(window: QueueWindow): Promise<HeldQueue> {
      const { size, slots } = window;
      const counts = await producer.count(queue);
      const isOpen = counts !== null && slots.all > 0;
      if (counts) {
        await dispatched.check(jobsOfDispatcher(counts), limitsOf(slots));
        if (performance.now() >= measureAt) measured = await measure(window, limitsOf(slots));
      }
      const inRedis = isOpen ? jobsInRedis(counts) : size;
      const few = isOpen ? fewOf(slots) - dispatched.heldEntries().length : 0;
      const left = { ofAll: lowPriorityCapacity(size) - inRedis, ofSmall: Math.max(size - inRedis, few) };
      return {
        ...dispatched.capacity(left, (orgId) => allowances.of(orgId), limitsOf(slots)),
        canRun: (type) => (slots.byType.get(type) ?? 0) > 0,
        heldKeys: () => dispatched.heldEntries().map(({ key }) => key),
        slots: slots.all,
        addHeld,
      };
    },
    /**
     * Adds jobs up to the capacity. With `isProbe` it lists the organizations with waiting jobs, and the first jobs of
     * each; otherwise it continues at the previous position of each. Returns the time that Postgres took, in ms.
     */
    async round(window: QueueWindow, isProbe: boolean): Promise<number> {
      await applyLimits();
      const { size, slots } = window;
      const counts = await producer.count(queue);
      if (!counts) return 0;
      const capacity = lowPriorityCapacity(size) - jobsInRedis(counts);
      const isMeasurementDue = measured !== null || performance.now() >= measureAt;
      if (capacity <= 0 && !isMeasurementDue) return 0;
      const limitOf = limitsOf(slots);
      await dispatched.check(jobsOfDispatcher(counts), limitOf);

      const startedAt = performance.now();
      if (isProbe) await listOrgs();
      if (isMeasurementDue) {
        const loads = measured ?? (await measure(window, limitOf));
        measured = null;
        const normalCount = counts.waiting - counts.lowPriority;
        if (counts.lowPriority > 0) await addOfSmallOrgs(loads, slots, normalCount);
      }
      if (capacity <= 0) return elapsedMs(startedAt);
      const entries = await list(capacity, isProbe, limitOf);
      const tookMs = elapsedMs(startedAt);
      await add(dispatched.within(entries, limitOf), slots);
      return tookMs;
    },
    /** The organizations that had jobs left in Postgres after the last round. Null if there are too many to list. */
    waitingOrgs: (): ReadonlySet<OrgId> | null =>
      hasListedAll ? new Set(orgs.filter((org) => !emptied.has(org))) : null,
    /** Resets the state when no jobs wait. */
    clear(): void {
      orgs = [];
      hasListedAll = true;
      positions.clear();
      emptied.clear();
      if (held.hasLanes()) return;
      allowances = createAllowances();
      measureAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function fewOf(slots: QueueSlots): number {
  return Math.ceil(SMALL_SHARE_OF_RESERVED * reservedSlots(slots.all));
}

function toEntry(chunk: readonly [WaitingJob, ...WaitingJob[]], isLowPriority: boolean, chunkNumber: number): Entry {
  const [first] = chunk;
  const entry = entryOf(first, { isLowPriority });
  // An entry of one job with low priority may already exist, so the one with normal priority gets another id.
  if (chunk.length === 1 && isLowPriority) return entry;
  return { ...entry, id: chunkEntryId(first.key, chunkNumber), keys: chunk.map(({ key }) => key) };
}

function countsOf(jobs: readonly WaitingJob[]): ReadonlyMap<OrgId, number> {
  const counts = new Map<OrgId, number>();
  for (const { orgId } of jobs) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
  return counts;
}
