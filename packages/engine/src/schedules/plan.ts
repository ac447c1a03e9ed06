import { AppError, type OrgId } from '@jobline/contracts';
import {
  type Db,
  FIRST_ID,
  findDueHead,
  forgetCanceled,
  type HotDb,
  isLockTimeout,
  isUnavailable,
  listNextSchedules,
  listSchedulesToCancel,
  retryDeadlocks,
  type ScheduleHead,
} from '@jobline/db';
import type { Cancel } from '../changes/cancel.js';
import type { EnqueueDeps } from '../submit/enqueue.js';
import type { Routes } from '../submit/routes.js';
import { makeDueJobs, PAYLOAD_BYTES } from './make-due-jobs.js';

/**
 * Submits the jobs of schedules at their planned times. Whichever process comes first locks the row of a schedule, stores the
 * job under an id that follows from the planned time, and moves the schedule on, in one transaction. So neither two processes nor
 * a crash double or lose a time. All times are the database's.
 */
export type Plan = ReturnType<typeof createPlan>;

export interface PlanDeps extends EnqueueDeps {
  db: Db;
  hot: HotDb;
  routes: Routes;
  cancel: Cancel;
  /** An organization that stores more bytes has no more planned jobs. */
  maxStoredBytes: number;
}

/** Schedules that one round looks at. */
const SCHEDULES = 200;
const LARGE_BYTES = 16 * 1024;
/** Schedules are looked at this often, because others may have been created. */
const EVERY_MS = 1_000;
/** The pause while other processes plan what is due. */
const BUSY_MS = 50;
const FAILED_MS = 2_000;
/** More than the highest number of jobs that one schedule can have due. */
const SETTLE_ROUNDS = 200;

export function createPlan(deps: PlanDeps) {
  const { db, hot, events } = deps;
  const cancelPrevious = createCancelPrevious(deps);
  const setAside = createSetAside();

  function leaveOut(id: string, error: unknown): void {
    setAside.add(id);
    events.emit('step.failed', { step: 'plan', error });
  }

  /** Planned times go on. */
  function cannotCancel(error: unknown): boolean {
    events.emit('step.failed', { step: 'cancel previous', error });
    return false;
  }

  /** Makes the jobs that are due, as many as one transaction may. */
  async function round(): Promise<number> {
    const { now, heads, ...found } = await listNextSchedules(hot, { limit: SCHEDULES, except: setAside.ids() });
    const due = heads.filter(({ nextRunAt }) => nextRunAt <= now);
    // Many large payloads of one organization delay the others by no more than one transaction.
    const [small, large] = [due.filter((head) => !isLarge(head)), due.filter(isLarge)];
    const planned = (await planEach(deps, small, leaveOut)) + (await planEach(deps, large, leaveOut));
    // What was planned now may replace earlier jobs, too.
    const isCanceling = (planned > 0 || found.isCanceling) && (await cancelPrevious().catch(cannotCancel));
    if (planned > 0 || isCanceling) return 0;
    if (due.length > 0) return BUSY_MS;
    const untilNextMs = heads[0] ? heads[0].nextRunAt.getTime() - now.getTime() : EVERY_MS;
    return Math.min(EVERY_MS, untilNextMs);
  }

  return {
    name: 'plan',
    round,
    failedMs: FAILED_MS,
    /** Makes the jobs of a schedule that are due, before the schedule is changed. */
    async settle(orgId: OrgId, id: string): Promise<void> {
      for (let n = 0; n < SETTLE_ROUNDS; n++) {
        const head = await findDueHead(db, orgId, id);
        if (!head || (await planEach(deps, [head], leaveOut)) === 0) return;
      }
    },
  };
}

/** Returns how many schedules were moved on. One that fails does not keep the others from being planned. */
async function planEach(
  deps: PlanDeps,
  due: readonly ScheduleHead[],
  leaveOut: (id: string, error: unknown) => void,
): Promise<number> {
  if (due.length === 0) return 0;
  const queues = new Map<string, string>();
  for (const { type } of due) if (!queues.has(type)) queues.set(type, await deps.routes.queueFor(type));
  const planOf = (heads: readonly ScheduleHead[]) => retryDeadlocks(() => makeDueJobs(deps, heads, queues, leaveOut));
  const fitting = withinBytes(due);
  try {
    return await planOf(fitting);
  } catch (error) {
    if (isUnavailable(error) && !isLockTimeout(error)) throw error;
  }
  let planned = 0;
  const failed = new Map<string, unknown>();
  for (const head of fitting) {
    try {
      planned += await planOf([head]);
    } catch (error) {
      if (isUnavailable(error) && !isLockTimeout(error)) throw error;
      failed.set(head.id, error);
    }
  }
  // If all of several fail, it is not because of the schedules.
  if (failed.size > 1 && failed.size === fitting.length) throw failed.get(fitting[0]?.id ?? '');
  for (const [id, error] of failed) leaveOut(id, error);
  return planned;
}

function isLarge({ payloadBytes }: ScheduleHead): boolean {
  return payloadBytes > LARGE_BYTES;
}

/** The first schedules, as far as their payloads may be in memory at the same time; at least one. */
function withinBytes(due: readonly ScheduleHead[]): ScheduleHead[] {
  let bytes = 0;
  return due.filter(({ payloadBytes }, n) => {
    bytes += payloadBytes;
    return n === 0 || bytes <= PAYLOAD_BYTES;
  });
}

/**
 * Cancels some of the jobs that later planned times of their schedules replace. Returns whether there may be more. The rows of
 * the schedules say what to cancel, so another call continues, in whatever process.
 */
type CancelPrevious = () => Promise<boolean>;

/** Few in one call, so that planned times are not delayed. Schedules take turns. */
const SCHEDULES_TO_CANCEL = 20;
const JOBS_OF_EACH = 2;

function createCancelPrevious({ db, cancel }: { db: Db; cancel: Cancel }): CancelPrevious {
  let after = FIRST_ID;

  return async () => {
    const page = await listSchedulesToCancel(db, { after, limit: SCHEDULES_TO_CANCEL, jobs: JOBS_OF_EACH });
    for (const { orgId, jobIds } of page) for (const id of jobIds) await cancel(orgId, id).catch(ignoreFinished);
    if (page.length > 0) await forgetCanceled(db, page);
    const isLast = page.length < SCHEDULES_TO_CANCEL;
    after = isLast ? FIRST_ID : (page.at(-1)?.id ?? FIRST_ID);
    return !isLast || page.some(({ jobIds }) => jobIds.length === JOBS_OF_EACH);
  };
}

function ignoreFinished(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'conflict')) throw error;
}

/** Schedules that this process could not plan. It leaves them out for a while. */
const SET_ASIDE_MS = 10_000;
const MAX_SET_ASIDE = 1_000;

function createSetAside() {
  const untilMs = new Map<string, number>();
  return {
    add(id: string): void {
      if (untilMs.size >= MAX_SET_ASIDE) untilMs.clear();
      untilMs.set(id, performance.now() + SET_ASIDE_MS);
    },
    ids(): string[] {
      const now = performance.now();
      for (const [id, until] of untilMs) if (until <= now) untilMs.delete(id);
      return [...untilMs.keys()];
    },
  };
}
