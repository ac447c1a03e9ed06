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
  nextWakeMs,
  readLimitState,
  readNowMs,
  saveLanes,
} from '@jobline/db';
import { releaseLane } from '@jobline/db/job-transitions';
import { EVENTS_QUEUE } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import { type Heads, readHeads } from './check-limits.js';
import {
  behindState,
  blockedState,
  type Capacity,
  fullState,
  type OpenLane,
  type Placed,
  planStarts,
} from './held-plan.js';
import { createLimits, type Limits, ratesOf } from './limits.js';
import { type CarefulSlots, type CarefulTurns, createCarefulTurns, readCarefulSlots } from './receivers.js';

/** The part of a queue's dispatcher that adds held jobs. */
export interface HeldQueue {
  /** How many more jobs of an organization and type may be added now; 0 or less: none. `isSmall`: the organization runs few. */
  capacityOf(job: { orgId: OrgId; type: string }, isSmall: boolean): number;
  /** Counts a job that will be added. */
  take(job: { orgId: OrgId; type: string }): void;
  /** Whether a live worker of the queue has the handler of a type. */
  canRun(type: string): boolean;
  /** The held jobs that have an entry in Redis. */
  heldKeys(): JobKey[];
  /** The slots of all its workers. */
  slots: number;
  /** Adds entries of held jobs, those of `normal` with normal priority. Returns false if Redis did not accept them. */
  addHeld(jobs: readonly ListedHeld[], normal: ReadonlySet<JobKey>): Promise<boolean>;
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
/** So many jobs of an organization, those that run included, get entries with normal priority. */
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
  const turns = createCarefulTurns();
  /** The organizations with starts in the last cycle over all organizations, and in this one. */
  let starting = { last: new Set<OrgId>(), now: new Set<OrgId>() };
  let cleanedAt = performance.now();

  async function clean(orgIds: readonly OrgId[]): Promise<void> {
    if (elapsedMs(cleanedAt) < CLEAN_EVERY_MS) return;
    cleanedAt = performance.now();
    await deleteIdleLanes(db, orgIds, EMPTY_FOR_MS);
    await deleteUnusedRates(db, MAX_RATES);
  }

  async function dispatchOf(orgIds: readonly OrgId[], queues: ReadonlyMap<string, HeldQueue>): Promise<Look & Result> {
    const look = await readLook(db, orgIds, { queues, turns });
    const result = await dispatch(db, queues, look);
    for (const orgId of result.startingOrgs) starting.now.add(orgId);
    await Promise.all([saveLanes(db, result.states, look.rules), clean(orgIds)]);
    return { ...look, ...result };
  }

  return {
    /**
     * Adds those held jobs whose limits allow a start, for some of the organizations. `open` reads the state of the queues, if
     * there are lanes. Returns the time in ms until the next call.
     */
    async round(open: OpenQueues): Promise<number> {
      const [orgIds, opened] = await Promise.all([listLaneOrgs(hot, after, MAX_ORGS), hasLanes ? open() : null]);
      const isLast = orgIds.length < MAX_ORGS;
      const isAll = after === null && isLast;
      after = isLast ? null : (orgIds.at(-1) ?? null);
      hasLanes = !isAll || orgIds.length > 0;
      const look = orgIds.length > 0 ? await dispatchOf(orgIds, opened ?? (await open())) : null;
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
  /** How many jobs each organization runs or has in Redis. */
  started: Map<OrgId, number>;
  careful: CarefulSlots;
  isRunning: boolean;
  nowMs: number;
}

async function readLook(
  db: Db,
  orgIds: readonly OrgId[],
  { queues, turns }: { queues: ReadonlyMap<string, HeldQueue>; turns: CarefulTurns },
): Promise<Look> {
  const keys = [...queues.values()].flatMap((queue) => queue.heldKeys());
  const [nowMs, inFlight, first] = await Promise.all([
    readNowMs(db),
    keys.length === 0 ? [] : findHeld(db, keys),
    readLimitState(db, orgIds, []),
  ]);
  // Lanes of limits that are not known to be full yet are listed too, and are found to be blocked then.
  const blocking = createLimits({ ...first, isCareful: () => false, nowMs }).blocking();
  const names = blocking.map(({ orgId, limit }) => ({ orgId, name: limit }));
  const lanes = await listLanes(db, orgIds, names, MAX_LANES);
  lanes.sort((a, b) => b.headPriority - a.headPriority || a.headAt.getTime() - b.headAt.getTime());
  const state = await readLimitState(db, orgIds, [...inFlight, ...lanes]);
  const { rules, running } = state;
  const slots = queues.get(EVENTS_QUEUE)?.slots ?? 0;
  const [ofKeys, careful, heads] = await Promise.all([
    listRates(db, ratesOf(rules, lanes)),
    readCarefulSlots(db, { waiting: lanes, dispatched: inFlight, slots, turns, nowMs }),
    readHeads(db, rules, lanes),
  ]);
  const limits = createLimits({ ...state, rates: [...state.rates, ...ofKeys], isCareful: careful.isCareful, nowMs });
  // A job waits for its handler, and one that crashed a worker for capacity. Neither may use a share meanwhile.
  for (const job of inFlight) if (job.crashCount === 0 && queues.get(job.queue)?.canRun(job.type)) limits.start(job);
  const started = new Map<OrgId, number>();
  for (const one of [...running, ...inFlight.map(({ orgId }) => ({ orgId, running: 1 }))])
    started.set(one.orgId, (started.get(one.orgId) ?? 0) + one.running);
  return {
    rules,
    lanes,
    limits,
    heads,
    inFlight,
    started,
    careful,
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
  const { lanes, limits, heads, inFlight, started, careful, nowMs } = look;
  const startedOf = ({ orgId }: Placed) => started.get(orgId) ?? 0;
  /**
   * The first few jobs of organizations that run few, counting those with an entry. Never those to receivers that are not known to
   * be good, because such an entry would perhaps hold one of the few slots that are reserved for normal priority.
   */
  const isSmall = (job: Placed) => startedOf(job) < SMALL && !careful.isCareful(job);
  const normal = new Set<JobKey>();
  const capacity: Capacity = {
    of(job) {
      const ofQueue = queues.get(job.queue)?.capacityOf(job, isSmall(job)) ?? 0;
      // An organization that cannot start keeps its turn.
      return ofQueue <= 0 ? ofQueue : Math.min(ofQueue, careful.capacityOf(job));
    },
    take(job) {
      if (isSmall(job)) normal.add(job.key);
      started.set(job.orgId, startedOf(job) + 1);
      queues.get(job.queue)?.take(job);
      careful.take(job);
    },
  };
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
    const free = capacity.of(lane);
    const first = firstOf.get(lane.id);
    const behind = behindState(lane, heads, ({ key }) => key === first?.key && !inRedis.has(first.key));
    if (blocked) states.push(blockedState(lane, blocked, nowMs));
    else if (behind) states.push(behind);
    else if (free <= 0) {
      const needsSlots = careful.capacityOf(lane) > 0 && queues.get(lane.queue)?.canRun(lane.type) === true;
      states.push(fullState(lane, needsSlots));
      if (needsSlots) fullOrgs.push(lane.orgId);
    } else {
      const isOrdered = heads.of(lane).length > 0;
      if (isOrdered && first) headKeys.set(lane.id, first.key);
      open.push({ lane, limit: isOrdered ? 1 : Math.max(1, Math.min(free, Math.floor(MAX_JOBS / lanes.length))) });
    }
  }
  const listed = open.filter(({ lane }) => !headKeys.has(lane.id)).map(({ lane, limit }) => ({ id: lane.id, limit }));
  const jobs = listed.length === 0 ? [] : await listHeld(db, listed, [...inRedis]);
  const jobsOf = new Map<string, ListedHeld[]>();
  for (const job of [...jobs, ...[...headKeys.keys()].flatMap((id) => firstOf.get(id) ?? [])]) {
    jobsOf.set(job.lane, [...(jobsOf.get(job.lane) ?? []), job]);
  }
  const plan = planStarts(open, jobsOf, { limits, capacity, nowMs }, (lane) =>
    inFlight.some((job) => job.lane === lane.id),
  );
  const failed = await add(queues, plan.starts, normal);
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
  normal: ReadonlySet<JobKey>,
): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  for (const [name, queue] of queues) {
    const own = starts.filter((job) => job.queue === name);
    if (own.length === 0 || (await queue.addHeld(own, normal))) continue;
    for (const { lane } of own) failed.add(lane);
  }
  return failed;
}

function waitMs({ limits, isRunning, nowMs }: Look, nextMs: number | null): number {
  const opens = limits.blocking().flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs - nowMs]));
  return Math.max(1, Math.min(isRunning ? RUNNING_MS : IDLE_MS, nextMs ?? IDLE_MS, ...opens));
}
