import type { Lane, LaneState, LimitedJob, ListedHeld } from '@jobline/db';
import type { Heads } from './check-limits.js';
import type { Blocked, Limits } from './limits.js';

/** A lane whose jobs may start, as far as is known before they are listed. */
export interface OpenLane {
  lane: Lane;
  /** How many of its jobs are listed. */
  limit: number;
}

export interface HeldPlan {
  /** The jobs to dispatch. */
  starts: ListedHeld[];
  states: LaneState[];
}

/** What else than limits bounds the entries of held jobs. */
export interface Capacity {
  /** How many more jobs like this one may be added to its queue. */
  of(job: Placed): number;
  /** Counts a job that will be added. */
  take(job: ListedHeld): void;
}

/** What decides about the capacity for a job. */
export type Placed = LimitedJob & { queue: string };

/** A lane whose next job can start when a running job ends: the end wakes it, so this is only a precaution. */
const RUNNING_MS = 1_000;
/** The time until a lane is looked at again whose queue has no capacity. */
const FULL_MS = 50;
/**
 * The times until a lane without further jobs is looked at again: a submission that came meanwhile, or that was not
 * committed yet, did not wake it.
 */
const IDLE_MS = { first: 50, later: 1_000, last: 15_000 };

/** The state of a lane that a limit blocks. */
export function blockedState({ id }: Lane, { limit, scope, untilMs }: Blocked, nowMs: number): LaneState {
  if (scope === 'organization') return { id, wakeInMs: 0, parkedOn: limit, waitsFor: null, isIdle: false };
  if (untilMs === null) return waitingState(id, RUNNING_MS);
  return { ...waitingState(id, Math.max(1, Math.ceil(untilMs - nowMs))), waitsFor: limit };
}

/**
 * Decides about a lane of an ordered limit before its jobs are listed: whether it has the first job of its key, and when to
 * look at it otherwise. Returns null if its first job may start.
 */
export function behindState(lane: Lane, heads: Heads, isOwn: (head: { key: string }) => boolean): LaneState | null {
  for (const head of heads.of(lane)) {
    const isDue = head.dueInMs <= 0;
    if (isDue && head.isSure && isOwn(head)) continue;
    const wakeInMs = isDue ? RUNNING_MS : Math.min(RUNNING_MS, Math.ceil(head.dueInMs));
    return waitingState(lane.id, wakeInMs);
  }
  return null;
}

/** Chooses jobs in the order of the lanes, as far as limits and capacity allow. Pure, except that `limits` and `capacity` count the starts. */
export function planStarts(
  open: readonly OpenLane[],
  jobsOf: ReadonlyMap<string, readonly ListedHeld[]>,
  { limits, capacity, nowMs }: { limits: Limits; capacity: Capacity; nowMs: number },
  hasEntries: (lane: Lane) => boolean,
): HeldPlan {
  const starts: ListedHeld[] = [];
  const states: LaneState[] = [];

  function next(jobs: readonly ListedHeld[]): Blocked | 'full' | null {
    for (const job of jobs) {
      const blocked = limits.blockedBy(job);
      if (blocked) return blocked;
      if (capacity.of(job) <= 0) return 'full';
      capacity.take(job);
      limits.start(job);
      starts.push(job);
    }
    return null;
  }

  for (const { lane, limit } of open) {
    const jobs = jobsOf.get(lane.id) ?? [];
    const stop = next(jobs);
    if (stop === 'full') states.push(fullState(lane));
    else if (stop) states.push(blockedState(lane, stop, nowMs));
    else if (jobs.length >= limit) states.push(waitingState(lane.id, 0));
    else states.push(idleState(lane, nowMs, hasEntries(lane) || jobs.length > 0));
  }
  return { starts, states };
}

/** The state of a lane whose queue has no capacity for it. `isSoon`: another job can make some by its end. */
export function fullState({ id }: Lane, isSoon = true): LaneState {
  return waitingState(id, isSoon ? FULL_MS : RUNNING_MS);
}

/** The state of a lane whose jobs are all dispatched or gone. */
function idleState({ id, idleSince }: Lane, nowMs: number, hasEntries: boolean): LaneState {
  const idleMs = idleSince === null ? null : nowMs - idleSince.getTime();
  const isSettled = !hasEntries && idleMs !== null && idleMs >= IDLE_MS.later;
  const wakeInMs = idleMs === null ? IDLE_MS.first : isSettled ? IDLE_MS.last : IDLE_MS.later;
  return { ...waitingState(id, wakeInMs), isIdle: true };
}

function waitingState(id: string, wakeInMs: number): LaneState {
  return { id, wakeInMs, parkedOn: null, waitsFor: null, isIdle: false };
}
