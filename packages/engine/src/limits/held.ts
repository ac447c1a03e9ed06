import type { JobKey, OrgId } from '@jobline/contracts';
import {
  type Db,
  deleteIdleLanes,
  deleteUnusedRates,
  findHeld,
  type HotDb,
  type Lane,
  type LaneState,
  type LimitRule,
  type ListedHeld,
  listHeld,
  listLaneOrgs,
  listLanes,
  listRates,
  listRunningCounts,
  nextWakeMs,
  readNowMs,
  saveLanes,
  wakeLanes,
} from '@jobline/db';
import { type Claim, releaseLane } from '@jobline/db/job-transitions';
import { createBatcher, elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import { type Heads, readHeads, readRules } from './check-limits.js';
import { behindState, blockedState, type CapacityOf, fullState, type OpenLane, planStarts } from './held-plan.js';
import { createLimits, type Limits, orgRates, ratesOf } from './limits.js';

/** The part of a queue's dispatcher that adds held jobs. */
export interface HeldQueue {
  /** How many more jobs of the organization may be added now; 0 without workers. */
  capacityOf(orgId: OrgId): number;
  /** Whether a live worker of the queue has the handler of a type. */
  canRun(type: string): boolean;
  /** The held jobs that have an entry in Redis. */
  heldKeys(): JobKey[];
  /** Adds entries of held jobs. `small`: organizations that run few jobs. Returns false if Redis did not accept them. */
  addHeld(jobs: readonly ListedHeld[], small: ReadonlySet<OrgId>): Promise<boolean>;
}

type OpenQueues = () => Promise<ReadonlyMap<string, HeldQueue>>;

/** Dispatches jobs that are under limits. */
export type HeldDispatcher = ReturnType<typeof createHeldDispatcher>;

/** How many organizations one round looks at, how many lanes of each, and how many jobs in total. */
const MAX_ORGS = 50;
const MAX_LANES = 100;
const MAX_JOBS = 1_000;
/** Jobs of lanes without limits that one round moves back. */
const MAX_RELEASED = 1_000;
/** An organization that runs fewer jobs gets entries with normal priority. */
const SMALL = 5;
const BUSY_MS = 10;
/** While jobs under limits run: the message that one has ended may be lost. */
const RUNNING_MS = 100;
const IDLE_MS = 250;
const CLEAN_EVERY_MS = 1_000;
/** Longer than a submission may take until its commit. */
const EMPTY_FOR_MS = 60_000;
const MAX_RATES = 1_000;

export function createHeldDispatcher({ db, hot }: { db: Db; hot: HotDb }) {
  let after: OrgId | null = null;
  let hasLanes = false;
  /** The organizations with starts in the last cycle over all organizations, and in this one. */
  let starting = { last: new Set<OrgId>(), now: new Set<OrgId>() };
  let cleanedAt = performance.now();

  async function clean(orgIds: readonly OrgId[]): Promise<void> {
    if (elapsedMs(cleanedAt) < CLEAN_EVERY_MS) return;
    cleanedAt = performance.now();
    await deleteIdleLanes(db, orgIds, EMPTY_FOR_MS);
    await deleteUnusedRates(db, MAX_RATES);
  }

  async function dispatchOf(orgIds: readonly OrgId[], open: OpenQueues): Promise<Look & Result> {
    const queues = await open();
    const look = await readLook(db, orgIds, queues);
    const result = await dispatch(db, queues, look);
    for (const orgId of result.startingOrgs) starting.now.add(orgId);
    await saveLanes(db, result.states, look.rules);
    await clean(orgIds);
    return { ...look, ...result };
  }

  return {
    /**
     * Adds those held jobs whose limits allow a start, for some of the organizations. `open` reads the state of the queues, if
     * there are lanes. Returns the time in ms until the next call.
     */
    async round(open: OpenQueues): Promise<number> {
      const orgIds = await listLaneOrgs(hot, after, MAX_ORGS);
      const isLast = orgIds.length < MAX_ORGS;
      const isAll = after === null && isLast;
      after = isLast ? null : (orgIds.at(-1) ?? null);
      hasLanes = !isAll || orgIds.length > 0;
      const look = orgIds.length > 0 ? await dispatchOf(orgIds, open) : null;
      if (isLast) starting = { last: starting.now, now: new Set() };
      if (!look) return isAll ? IDLE_MS : BUSY_MS;
      const isMore = look.states.some(({ wakeInMs, parkedOn }) => wakeInMs <= 0 && parkedOn === null);
      return look.added > 0 || !isAll || isMore ? BUSY_MS : waitMs(look, await nextWakeMs(db, orgIds));
    },
    /** Whether the last round found held jobs. */
    hasLanes: (): boolean => hasLanes,
    /** The organizations whose limits allowed starts when they were looked at last. The others need no slots. */
    startingOrgs: (): readonly OrgId[] => [...new Set([...starting.last, ...starting.now])],
  };
}

/** What one round knows. */
interface Look {
  rules: readonly LimitRule[];
  lanes: Lane[];
  limits: Limits;
  heads: Heads;
  /** Jobs that have an entry and are not claimed yet. They count as started. */
  inFlight: readonly ListedHeld[];
  /** The organizations that run few jobs. */
  small: ReadonlySet<OrgId>;
  isRunning: boolean;
  nowMs: number;
}

async function readLook(db: Db, orgIds: readonly OrgId[], queues: ReadonlyMap<string, HeldQueue>): Promise<Look> {
  const keys = [...queues.values()].flatMap((queue) => queue.heldKeys());
  const nowMs = await readNowMs(db);
  const rules = await readRules(db, orgIds);
  const running = await listRunningCounts(db, orgIds);
  const inFlight = keys.length === 0 ? [] : await findHeld(db, keys);
  const ofOrgs = await listRates(db, orgRates(rules));
  const limitsWith = (rates: typeof ofOrgs) => {
    const limits = createLimits({ rules, running, rates, nowMs });
    // A job waits for its handler, and one that crashed a worker for capacity. Neither may use a share meanwhile.
    for (const job of inFlight) if (job.crashCount === 0 && queues.get(job.queue)?.canRun(job.type)) limits.start(job);
    return limits;
  };
  const blocking = limitsWith(ofOrgs).blocking();
  const names = blocking.map(({ orgId, limit }) => ({ orgId, name: limit }));
  const lanes = await listLanes(db, orgIds, names, MAX_LANES);
  lanes.sort((a, b) => b.headPriority - a.headPriority || a.headAt.getTime() - b.headAt.getTime());
  const keyRules = rules.filter(({ per }) => per === 'key');
  const ofKeys = await listRates(db, ratesOf(keyRules, lanes));
  const counts = new Map<OrgId, number>();
  for (const one of running) counts.set(one.orgId, (counts.get(one.orgId) ?? 0) + one.running);
  return {
    rules,
    lanes,
    limits: limitsWith([...ofOrgs, ...ofKeys]),
    heads: await readHeads(db, rules, lanes),
    inFlight,
    small: new Set(orgIds.filter((orgId) => (counts.get(orgId) ?? 0) < SMALL)),
    isRunning: running.length > 0 || inFlight.length > 0,
    nowMs,
  };
}

interface Result {
  /** The number of jobs that were added. */
  added: number;
  states: LaneState[];
  /** The organizations with jobs that may start, although there may be no capacity for them. */
  startingOrgs: OrgId[];
}

/** Adds the jobs that may start. */
async function dispatch(db: Db, queues: ReadonlyMap<string, HeldQueue>, look: Look): Promise<Result> {
  const { lanes, limits, heads, inFlight, nowMs } = look;
  const capacityOf: CapacityOf = (queue, orgId) => queues.get(queue)?.capacityOf(orgId) ?? 0;
  const inRedis = new Set(inFlight.map(({ key }) => key));
  const states: LaneState[] = [];
  const fullOrgs: OrgId[] = [];
  const open: OpenLane[] = [];
  const headKeys = new Map<string, JobKey>();
  const firstOf = await firstJobs(db, lanes, heads);
  let mayRelease = MAX_RELEASED;
  for (const lane of lanes) {
    const rules = limits.rulesOf(lane);
    if (rules.length === 0) {
      const released = mayRelease === 0 ? 0 : await releaseLane(db, lane.id, mayRelease);
      const wakeInMs = released < mayRelease ? IDLE_MS : 0;
      mayRelease -= released;
      states.push({ id: lane.id, wakeInMs, parkedOn: null, waitsFor: null, isIdle: true });
      continue;
    }
    const blocked = limits.blockedBy(lane);
    const capacity = capacityOf(lane.queue, lane.orgId);
    const first = firstOf.get(lane.id);
    const behind = behindState(lane, heads, ({ key }) => key === first?.key && !inRedis.has(first.key));
    if (blocked) states.push(blockedState(lane, blocked, nowMs));
    else if (behind) states.push(behind);
    else if (capacity === 0) {
      states.push(fullState(lane));
      fullOrgs.push(lane.orgId);
    } else {
      const isOrdered = heads.of(lane).length > 0;
      if (isOrdered && first) headKeys.set(lane.id, first.key);
      open.push({ lane, limit: isOrdered ? 1 : Math.max(1, Math.min(capacity, Math.floor(MAX_JOBS / lanes.length))) });
    }
  }
  const listed = open.filter(({ lane }) => !headKeys.has(lane.id)).map(({ lane, limit }) => ({ id: lane.id, limit }));
  const jobs = listed.length === 0 ? [] : await listHeld(db, listed, [...inRedis]);
  const jobsOf = new Map<string, ListedHeld[]>();
  for (const job of [...jobs, ...[...headKeys.keys()].flatMap((id) => firstOf.get(id) ?? [])]) {
    jobsOf.set(job.lane, [...(jobsOf.get(job.lane) ?? []), job]);
  }
  const plan = planStarts(open, jobsOf, { limits, capacityOf, nowMs }, (lane) =>
    inFlight.some((job) => job.lane === lane.id),
  );
  const failed = await add(queues, plan.starts, look.small);
  const planned = plan.states.map((state) =>
    failed.has(state.id) ? { ...state, wakeInMs: RUNNING_MS, isIdle: false } : state,
  );
  const startingOrgs = [...fullOrgs, ...plan.starts.map(({ orgId }) => orgId)];
  return { added: plan.starts.length, states: [...states, ...planned], startingOrgs };
}

/** The first jobs of the lanes under ordered limits, as far as they are the first of their key. */
async function firstJobs(db: Db, lanes: readonly Lane[], heads: Heads): Promise<ReadonlyMap<string, ListedHeld>> {
  const keys = [...new Set(lanes.flatMap((lane) => heads.of(lane).map(({ key }) => key)))];
  const found = keys.length === 0 ? [] : await findHeld(db, keys);
  return new Map(found.map((job) => [job.lane, job]));
}

/** Adds the jobs to their queues. Returns the lanes whose entries Redis did not accept. */
async function add(
  queues: ReadonlyMap<string, HeldQueue>,
  starts: readonly ListedHeld[],
  small: ReadonlySet<OrgId>,
): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  for (const [name, queue] of queues) {
    const own = starts.filter((job) => job.queue === name);
    if (own.length === 0 || (await queue.addHeld(own, small))) continue;
    for (const { lane } of own) failed.add(lane);
  }
  return failed;
}

function waitMs({ limits, isRunning, nowMs }: Look, nextMs: number | null): number {
  const opens = limits.blocking().flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs - nowMs]));
  return Math.max(1, Math.min(isRunning ? RUNNING_MS : IDLE_MS, nextMs ?? IDLE_MS, ...opens));
}

type Ended = Pick<Claim, 'orgId' | 'limitKey'>;

/**
 * Returns a function that notifies the dispatcher that a job under a limit no longer runs, so that the next one can start at
 * once. Never rejects: without it the next job starts about a second later.
 */
export function createWakeOthers(deps: { db: Db; producer: Producer; events: EngineEvents }) {
  const batcher = createBatcher({
    async run(ended: Ended[]): Promise<undefined[]> {
      const keys = new Map(
        ended.map(({ orgId, limitKey }) => [`${orgId} ${limitKey ?? ''}`, { orgId, limitKey: limitKey ?? '' }]),
      );
      await wakeLanes(deps.db, [...keys.values()]);
      deps.producer.publishWaiting();
      return ended.map(() => undefined);
    },
    maxItems: 500,
    gatherMs: 5,
    maxInFlight: 1,
    isolate: () => false,
  });
  return async (ended: Ended): Promise<void> => {
    try {
      await batcher.add(ended);
    } catch (error) {
      deps.events.emit('step.failed', { step: 'wake lanes', error });
    }
  };
}
