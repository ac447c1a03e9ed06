import { type Loop, repeat } from '@jobline/runtime';
import { type BulkDeps, createBulk } from '../changes/bulk.js';
import { createExpire } from '../changes/expire.js';
import type { Dispatcher } from '../fairness/dispatch.js';
import { createLimitChanges } from '../limits/limit-changes.js';
import type { EngineEvents } from '../reporting/events.js';
import type { Plan, PlanDeps } from '../schedules/plan.js';
import type { Lease } from '../start/lease.js';
import { createCheckAlerts } from './alerts.js';
import { createDeliver } from './deliver.js';
import type { Reconcile } from './reconcile.js';
import { createRedaction } from './redaction.js';
import { createRetention, type RetentionDeps } from './retention.js';
import { createRollUp } from './roll-up.js';
import { createStoredBytes } from './stored-bytes.js';
import type { Task } from './task.js';

/** What the tasks of every process get. */
export interface TaskDeps extends PlanDeps {
  plan: Plan;
}

export interface ApiTaskDeps extends TaskDeps, BulkDeps {
  /** Only tests change how often alerts are checked. */
  alerts?: { everyMs: number } | undefined;
}

export interface WorkerTaskDeps extends TaskDeps, RetentionDeps {
  lease: Lease;
  dispatcher: Dispatcher;
  reconcile: Reconcile;
}

type Row =
  | { runsIn: 'both'; create(deps: TaskDeps): Task }
  | { runsIn: 'api'; create(deps: ApiTaskDeps): Task }
  | { runsIn: 'worker'; create(deps: WorkerTaskDeps): Task };

/**
 * Everything that the processes do periodically. Several processes may run `plan`, `deliver` and `bulk` at the same time. Of each
 * other task, one process has the lease.
 */
const TASKS: readonly Row[] = [
  { runsIn: 'both', create: createExpire },
  { runsIn: 'both', create: ({ plan }) => plan },
  { runsIn: 'both', create: createDeliver },
  { runsIn: 'api', create: createBulk },
  { runsIn: 'api', create: (deps) => createCheckAlerts(deps, deps.alerts) },
  { runsIn: 'worker', create: ({ dispatcher }) => dispatcher },
  { runsIn: 'worker', create: createLimitChanges },
  { runsIn: 'worker', create: ({ reconcile }) => reconcile },
  { runsIn: 'worker', create: createRedaction },
  { runsIn: 'worker', create: createRetention },
  { runsIn: 'worker', create: createRollUp },
  { runsIn: 'worker', create: createStoredBytes },
];

export function createApiTasks(deps: ApiTaskDeps): Task[] {
  return TASKS.flatMap((row) => (row.runsIn === 'worker' ? [] : [guarded(row.create(deps), deps.events)]));
}

export function createWorkerTasks(deps: WorkerTaskDeps): Task[] {
  return TASKS.flatMap((row) => (row.runsIn === 'api' ? [] : [guarded(row.create(deps), deps.events)]));
}

/** Logs the failure of a round, which is repeated after a pause. So the other tasks continue, and no round rejects. */
function guarded(task: Task, events: EngineEvents): Task {
  return {
    ...task,
    round: () =>
      task.round().catch((error: unknown) => {
        events.emit('step.failed', { step: task.name, error });
        return task.failedMs;
      }),
  };
}

/** Starts to repeat the tasks. */
export function repeatTasks(tasks: readonly Task[]): Loop[] {
  return tasks.map((task) => {
    const loop = repeat(() => task.round());
    task.onWake?.(loop.wake);
    return loop;
  });
}
