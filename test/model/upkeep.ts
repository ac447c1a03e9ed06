import { assertNever } from '@jobline/contracts';
import { dispatching } from './fake-queue.js';
import { note } from './history.js';
import type { Upkeep } from './program.js';
import { type ModelWorker, runTask } from './workers.js';
import type { ModelWorld } from './world.js';

/** Runs an event that affects all sequences: the periodic work of the processes, and faults. */
export async function keepUp(world: ModelWorld, step: Upkeep): Promise<void> {
  const { workers, history, queue } = world;
  note(history, `upkeep: ${step.kind}`);
  const present = workers.filter((worker) => !worker.isGone);
  const nth = (n: number) => present[n % present.length];
  switch (step.kind) {
    case 'time':
      await world.pass(step.ms);
      queue.arrive();
      await beatAll(world);
      return;
    case 'sweep':
      await runTask(nth(step.worker), 'reconcile');
      return;
    case 'dispatch':
      return dispatch(nth(step.worker));
    case 'settle':
      await runTask(nth(step.worker), 'settle conditions');
      return;
    case 'fail-waiting':
      await runTask(nth(step.worker), 'fail waiting jobs');
      return;
    case 'check-runs':
      await Promise.all(present.map(({ work }) => work.checkRuns()));
      return;
    case 'flush-logs':
      await Promise.all(present.map(({ work }) => work.flushLogs()));
      return;
    case 'retain':
      history.hasRetained = true;
      await runTask(nth(step.worker), 'retention');
      return;
    case 'freeze':
      return freeze(nth(step.worker), present);
    case 'thaw':
      for (const worker of present) worker.isBeating = true;
      return beatAll(world);
    case 'kill':
      return kill(world, nth(step.worker));
    case 'stop':
      return stop(world, nth(step.worker));
    case 'wipe':
      return queue.wipe();
    case 'redis':
      queue.isDown = step.isDown;
      return;
    case 'lose-answers':
      return world.database.loseAnswers(step.count);
    default:
      assertNever(step);
  }
}

/** Runs one round of the dispatcher on a worker. */
export async function dispatch(worker: ModelWorker | undefined): Promise<void> {
  await dispatching.run(true, () => runTask(worker, 'dispatch'));
}

/** Has all conditions settled, and all jobs failed that wait in vain. */
export async function settleAll(worker: ModelWorker | undefined): Promise<void> {
  for (let isIdle = false; !isIdle; ) {
    const pauses = [await runTask(worker, 'settle conditions'), await runTask(worker, 'fail waiting jobs')];
    isIdle = pauses.every((pause) => pause >= IDLE_MS);
  }
}

/** How long these tasks wait when nothing is due. */
const IDLE_MS = 250;

/** Sends the heartbeats of all workers that are not frozen. */
export async function beatAll({ workers }: ModelWorld): Promise<void> {
  await Promise.all(workers.filter((one) => one.isBeating && !one.isGone).map(({ work }) => work.beat()));
}

/** At least one worker must not be frozen. */
function freeze(worker: ModelWorker | undefined, present: readonly ModelWorker[]): void {
  if (worker && present.filter(({ isBeating }) => isBeating).length > 1) worker.isBeating = false;
}

async function kill(world: ModelWorld, worker: ModelWorker | undefined): Promise<void> {
  if (!worker) return;
  worker.isGone = true;
  worker.isBeating = false;
  world.queue.releaseFrom(worker.name);
  await world.addWorker();
}

async function stop(world: ModelWorld, worker: ModelWorker | undefined): Promise<void> {
  if (!worker) return;
  await worker.work.drain(0);
  await worker.work.end();
  await kill(world, worker);
}
