import { type Loop, repeat, stopAll } from '@jobline/runtime';
import { type BulkDeps, createBulk } from '../changes/bulk.js';
import { createExpire, createFailWaiting } from '../changes/expire.js';
import type { Dispatcher } from '../fairness/dispatch.js';
import { createLimitChanges } from '../limits/limit-changes.js';
import type { EngineEvents } from '../reporting/events.js';
import type { Plan, PlanDeps } from '../schedules/plan.js';
import type { Lease } from '../start/lease.js';
import { createCheckAlerts } from './alerts.js';
import { createDeliver, type DeliverDeps } from './deliver.js';
import { createErase } from './erase.js';
import { createIndexSearch } from './index-search.js';
import { createMaintenance } from './maintenance.js';
import { createRedaction } from './redaction.js';
import { createRetention, type RetentionDeps } from './retention.js';
import { createRollUp } from './roll-up.js';
import { createSettle } from './settle.js';
import { createStoredBytes } from './stored-bytes.js';
import type { Task } from './task.js';

/** What the tasks of every process get. */
export interface TaskDeps extends PlanDeps, DeliverDeps {
  plan: Plan;
}

export interface ApiTaskDeps extends TaskDeps, BulkDeps {
  /** The base of links in alerts. */
  publicUrl: string;
  /** Only tests change how often alerts are checked. */
  alerts?: { everyMs: number } | undefined;
}

export interface WorkerTaskDeps extends TaskDeps, RetentionDeps {
  lease: Lease;
  dispatcher: Dispatcher;
  reconcile: Task;
  /** Further tasks of one worker at a time. */
  moreTasks?: readonly Task[] | undefined;
}

type Row =
  | { runsIn: 'one process'; create(deps: TaskDeps): Task }
  | { runsIn: 'one worker'; create(deps: WorkerTaskDeps): Task }
  | { runsIn: 'every api'; create(deps: ApiTaskDeps): Task };

/** Everything that the processes do periodically. Of `alerts`, one API has a lease of its own. */
const TASKS: readonly Row[] = [
  { runsIn: 'one process', create: createExpire },
  { runsIn: 'one process', create: createFailWaiting },
  { runsIn: 'one process', create: createSettle },
  { runsIn: 'one process', create: ({ plan }) => plan },
  { runsIn: 'one process', create: createDeliver },
  { runsIn: 'every api', create: createBulk },
  { runsIn: 'every api', create: createErase },
  { runsIn: 'every api', create: (deps) => createCheckAlerts(deps, deps.alerts) },
  { runsIn: 'one worker', create: ({ dispatcher }) => dispatcher },
  { runsIn: 'one worker', create: createLimitChanges },
  { runsIn: 'one worker', create: ({ reconcile }) => reconcile },
  { runsIn: 'one worker', create: createIndexSearch },
  { runsIn: 'one worker', create: createRedaction },
  { runsIn: 'one worker', create: createRetention },
  { runsIn: 'one worker', create: createRollUp },
  { runsIn: 'one worker', create: createStoredBytes },
];

/** The names in the table `leases`. They must not change: old and new versions run at the same time during an update. */
export const TASK_LEASES = { 'one process': 'maintenance', 'one worker': 'worker-maintenance' } as const;

export function createApiTasks(deps: ApiTaskDeps): Task[] {
  const { task, whileHeld } = createMaintenance({ ...deps, names: [TASK_LEASES['one process']] });
  const tasks = TASKS.flatMap((row) => {
    if (row.runsIn === 'one worker') return [];
    return row.runsIn === 'every api' ? [row.create(deps)] : [whileHeld(TASK_LEASES[row.runsIn], row.create(deps))];
  });
  return [...tasks, task].map((one) => guarded(one, deps.events));
}

/** `look`: asks whether another worker has stopped and released its tasks. */
export function createWorkerTasks(deps: WorkerTaskDeps): { tasks: Task[]; look(): void } {
  const { task, whileHeld, look } = createMaintenance({
    ...deps,
    names: Object.values(TASK_LEASES),
    onReleased: () => deps.producer.publishWaiting(),
  });
  const tasks = TASKS.flatMap((row) =>
    row.runsIn === 'every api' ? [] : [whileHeld(TASK_LEASES[row.runsIn], row.create(deps))],
  );
  const more = (deps.moreTasks ?? []).map((one) => whileHeld(TASK_LEASES['one worker'], one));
  return { tasks: [...tasks, ...more, task].map((one) => guarded(one, deps.events)), look };
}

/** Logs the failure of a round, which is repeated after a pause. So the other tasks continue, and neither a round nor an end rejects. */
function guarded(task: Task, events: EngineEvents): Task {
  const failed = (step: string, error: unknown) => void events.emit('step.failed', { step, error });
  let ending: Promise<void> | undefined;
  return {
    ...task,
    round: () =>
      task.round().catch((error: unknown) => {
        failed(task.name, error);
        return task.failedMs;
      }),
    end: () =>
      (ending ??= (async () => task.end?.())().catch((error: unknown) => failed(`release ${task.name}`, error))),
  };
}

/** Starts to repeat the tasks. `stop` waits for their current rounds, and lets other processes continue. */
export function repeatTasks(tasks: readonly Task[]): Pick<Loop, 'stop'> {
  const loops = tasks.map((task) => {
    const loop = repeat(() => task.round());
    task.onWake?.(loop.wake);
    return loop;
  });
  return {
    async stop() {
      await stopAll(loops);
      await endTasks(tasks);
    },
  };
}

/** Lets other processes continue the tasks. Another call has no effect: the connections may be closed by then. */
export async function endTasks(tasks: readonly Task[]): Promise<void> {
  await Promise.all(tasks.map(async (task) => task.end?.()));
}
