import type { JobKey } from '@jobline/contracts';
import {
  type Db,
  type DueSchedule,
  findBusySchedules,
  limitStatements,
  lockDueSchedules,
  moveSchedulesOn,
  type ScheduleHead,
} from '@jobline/db';
import { type InsertedJob, insertJobsIn } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { type EnqueueDeps, type JobDraft, storeAndEnqueue } from '../submit/enqueue.js';
import { type Decision, decide, mostJobs, plannedJobId, toPlanned, toPlannedJob } from './planned-jobs.js';

/** Size of the payloads in one transaction: a statement is in memory several times while it is sent. */
export const PAYLOAD_BYTES = 1024 * 1024;
/** Jobs of one transaction. */
const JOBS = 500;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };
const STATEMENT_LIMITS_MS = { lock: 1_000, statement: 10_000 };

/**
 * Makes the due jobs of those of these schedules that no other process is planning, and moves the schedules on, in one
 * transaction. Enqueues the jobs after the commit: if the process dies in between, reconcile finds them. Returns how many
 * schedules were moved on. `queues`: the queue of each type. `leaveOut` is called for a schedule whose times are unknown here.
 */
export async function makeDueJobs(
  deps: EnqueueDeps & { db: Db; maxStoredBytes: number },
  heads: readonly ScheduleHead[],
  queues: ReadonlyMap<string, string>,
  leaveOut: (id: string, error: unknown) => void,
): Promise<number> {
  const ids = heads.map(({ id }) => id);
  let jobs: JobDraft[] = [];
  let decisions: Decision[] = [];
  let startedAt = 0;
  const { inserted } = await storeAndEnqueue(deps, (reserve) =>
    deps.db.$transaction(async (tx) => {
      await limitStatements(tx, STATEMENT_LIMITS_MS);
      const locked = await lockDueSchedules(tx, ids, deps.maxStoredBytes);
      startedAt = performance.now();
      const skipping = locked.filter(({ overlap }) => overlap === 'skip').map(({ id }) => id);
      const busy = await findBusySchedules(tx, skipping);
      decisions = decideAll(locked, busy, queues, leaveOut);
      jobs = draftsOf(decisions, queues);
      const stored = await insertJobsIn(tx, reserve(jobs));
      await moveSchedulesOn(tx, decisions.map(toPlanned));
      return { inserted: stored };
    }, LIMITS),
  );
  report(deps, decisions, jobs, inserted, elapsedMs(startedAt));
  return decisions.length;
}

/** Decides about the schedules that are due for the longest time first, as far as their jobs fit into one transaction. */
function decideAll(
  locked: readonly DueSchedule[],
  busy: ReadonlySet<string>,
  queues: ReadonlyMap<string, string>,
  leaveOut: (id: string, error: unknown) => void,
): Decision[] {
  const decisions: Decision[] = [];
  let [jobs, bytes] = [JOBS, PAYLOAD_BYTES];
  for (const schedule of [...locked].sort((a, b) => a.nextRunAt.getTime() - b.nextRunAt.getTime())) {
    // Its type has been changed since the queues were looked up.
    if (!queues.has(schedule.type)) continue;
    const isFirst = decisions.length === 0;
    if (!isFirst && (jobs < 1 || bytes < schedule.payloadBytes)) break;
    try {
      const decision = decide(schedule, busy.has(schedule.id), Math.min(Math.max(1, jobs), mostJobs(schedule, bytes)));
      jobs -= decision.times.length;
      bytes -= decision.times.length * schedule.payloadBytes;
      decisions.push(decision);
    } catch (error) {
      leaveOut(schedule.id, error);
    }
  }
  return decisions;
}

function draftsOf(decisions: readonly Decision[], queues: ReadonlyMap<string, string>) {
  return decisions.flatMap(({ schedule, times }) =>
    times.map((at) => toPlannedJob(schedule, at, queues.get(schedule.type) ?? '')),
  );
}

function report(
  { events }: EnqueueDeps,
  decisions: readonly Decision[],
  jobs: readonly JobDraft[],
  inserted: readonly InsertedJob[],
  tookMs: number,
): void {
  const keys: ReadonlySet<JobKey> = new Set(inserted.map(({ key }) => key));
  const made = new Set(jobs.filter(({ key }) => keys.has(key)).map(({ id }) => id));
  for (const { schedule, times, skipped, isShortened } of decisions) {
    const { id: scheduleId, orgId, now, missed } = schedule;
    for (const at of times) {
      const outcome = made.has(plannedJobId(scheduleId, at)) ? 'made' : 'taken';
      events.emit('time.planned', { scheduleId, orgId, outcome, lateMs: now.getTime() - at.getTime() + tookMs });
    }
    for (let n = 0; n < skipped; n++) events.emit('time.planned', { scheduleId, orgId, outcome: 'skipped', lateMs: 0 });
    if (isShortened) events.emit('times.missed', { scheduleId, orgId, policy: missed });
  }
}
