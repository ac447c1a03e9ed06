import { act, deliverDue, isGone, type Subject } from './actions.js';
import { ROUNDS } from './program.js';
import { readRows } from './rows.js';
import { beatAll, dispatch, keepUp, settleAll } from './upkeep.js';
import { runTask } from './workers.js';
import type { ModelWorld } from './world.js';

/**
 * Runs the steps of all sequences, one of each sequence per round. A step that is not awaited runs concurrently with
 * the next ones, so calls of one sequence conflict with each other as well as with those of other sequences.
 */
export async function runProgram(world: ModelWorld): Promise<void> {
  const { sequences, upkeep } = world.program;
  const subjects = world.orgIds.map((orgId): Subject => ({ orgId, ids: [] }));
  const begun = subjects.map((): Promise<void> => Promise.resolve());
  let kept: Promise<void> = Promise.resolve();

  for (let round = 0; round < ROUNDS; round++) {
    const awaited: Promise<void>[] = [];
    // The events of a round run one after another, concurrently with the steps of the sequences.
    const last = kept;
    kept = (async () => {
      await last;
      for (const step of upkeep[round] ?? []) await keepUp(world, step);
    })();
    for (const [n, subject] of subjects.entries()) {
      const step = sequences[n]?.steps[round];
      if (!step || step.action.kind === 'rest') continue;
      const before = begun[n];
      const done =
        step.isAlone && before ? before.then(() => act(world, subject, step.action)) : act(world, subject, step.action);
      begun[n] = Promise.all([before, done]).then(() => undefined);
      if (step.isAwaited) awaited.push(done);
    }
    await Promise.all(awaited);
    if (round % CHECK_EVERY === CHECK_EVERY - 1) world.history.violations.push(...(await oddRows(world)));
  }
  await Promise.all([kept, ...begun]);
}

/** Number of rounds between two checks of all rows, while everything changes. */
const CHECK_EVERY = 5;

/** Returns rows that contradict themselves, which no statement may leave at any time. */
async function oddRows(world: ModelWorld): Promise<{ orgId: string; what: string }[]> {
  const rows = await readRows(world.database.db);
  return rows
    .filter(({ isOdd }) => isOdd)
    .map(({ orgId, key, status }) => ({ orgId, what: `the row of ${key} contradicts itself: ${status}` }));
}

/** This many rounds are enough for all leases and waits to end. */
const MAX_QUIET_ROUNDS = 60;
/** Number of dispatches and deliveries in each of these rounds. */
const PASSES = 3;
const QUIET_STEP_MS = 1_900;
/** After so many rounds, the jobs of killed workers run again. */
const LATE = 5;

/**
 * Removes all faults and runs until all jobs have finished. Returns the number of jobs that are unfinished or still
 * run.
 */
export async function runUntilQuiet(world: ModelWorld): Promise<{ rounds: number; unfinished: number }> {
  const { workers, queue, database } = world;
  queue.isDown = false;
  database.loseAnswers(0);
  for (const worker of workers) worker.isBeating = !worker.isGone;
  // Scheduled jobs are minutes in the future.
  await database.db.$executeRaw`
    UPDATE live_jobs SET run_at = least(run_at, now() + interval '10 s') WHERE status = 'pending'`;
  for (let rounds = 1; ; rounds++) {
    await world.pass(QUIET_STEP_MS);
    queue.arrive();
    await beatAll(world);
    const present = workers.filter((worker) => !worker.isGone);
    const leader = present[rounds % present.length];
    await runTask(leader, 'reconcile');
    await settleAll(leader);
    await Promise.all(present.map(({ work }) => work.checkRuns()));
    for (let pass = 0; pass < PASSES; pass++) {
      await dispatch(leader);
      await deliverDue(world);
      // The runs of killed workers end, too: after their jobs run again, and before the new runs. They must have no effect.
      const areLost = (worker: string) => rounds <= LATE && isGone(world, worker);
      for (const runs of world.history.runs.values())
        for (const run of runs) if (run !== runs.at(-1) || (pass > 0 && !areLost(run.worker))) run.end('done');
    }
    await Promise.all(present.map(({ work }) => work.flushLogs()));
    const unfinished = await countUnfinished(world);
    if (unfinished === 0 || rounds === MAX_QUIET_ROUNDS) return { rounds, unfinished };
  }
}

async function countUnfinished({ database, workers }: ModelWorld): Promise<number> {
  const inHand = workers.filter((worker) => !worker.isGone).reduce((sum, { work }) => sum + work.running(), 0);
  const [row] = await database.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM jobs WHERE status IN ('pending', 'processing')`;
  return inHand + (row?.count ?? 0);
}
