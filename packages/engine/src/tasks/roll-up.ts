import {
  applyCorrections,
  type Db,
  mergeFailedAttempts,
  ROLL_UP_STEPS,
  type RollUpClock,
  type RollUpStep,
  readRollUpClock,
  rollUpPage,
  withTimeLimit,
} from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';
import type { Lease } from '../start/lease.js';
import { type LeasedTask, leasedTask } from './task.js';

export interface RollUpDeps {
  db: Db;
  lease: Pick<Lease, 'id'>;
}

/** The rest if no step is due: a small part of the shortest step. */
const REST_MS = 10_000;
/** The wait for transactions that may still end jobs of a step. */
const WAIT_MS = 1_000;
const LONG_WAIT_MS = 10 * 60_000;
const STATEMENT_LIMIT_MS = 25_000;

const LONG_TRANSACTION =
  'jobs are not counted for statistics, because a transaction of this Postgres has been open for minutes';
const HOW_TO_FIND_IT = 'look for it in pg_stat_activity and pg_prepared_xacts';

/** Maximum number of organizations for which one round counts steps. */
const ORGS = 1_000;
/** Maximum number of steps that a round counts. A round after one that was slow or failed counts one step. */
const STEPS = 64;
const FAST_MS = 100;
/** Maximum number of corrections, and of counts of failed attempts, that one round handles for a step length. */
const CORRECTIONS = 10_000;

/**
 * Counts the finished jobs of each step of time once the step is complete, for the statistics. Readers count the steps that are not
 * counted here yet, so a delay makes their answers slower but not wrong. It also merges the counts of failed attempts. Only tests pass `readClock`.
 */
export function createRollUp({ db, lease }: RollUpDeps, { readClock = readRollUpClock } = {}): LeasedTask {
  /** The steps before its time are counted when all transactions of its time have ended. Null: read a new one. */
  let clock: (RollUpClock & { readAt: number }) | null = null;
  /** For each length, how many steps the next round may count: twice as many after each fast round. */
  const stepsAtOnce = new Map<RollUpStep, number>();

  async function countNext(): Promise<number | 'more'> {
    const startedAt = performance.now();
    const now = await readClock(db);
    // The clock may be set back. Transaction numbers begin again with lower ones if the database is restored on a new server.
    if (clock === null || now.next < clock.next || now.until < clock.until) clock = { ...now, readAt: startedAt };
    if (now.oldest < clock.next) {
      if (startedAt - clock.readAt > LONG_WAIT_MS) throw new Error(`${LONG_TRANSACTION}: ${HOW_TO_FIND_IT}`);
      return now.due.length > 0 ? WAIT_MS : REST_MS;
    }
    const { until } = clock;
    let isMoreDue = false;
    for (const step of now.due) isMoreDue = (await countPage(step, until)) || isMoreDue;
    if (!isMoreDue) {
      clock = null;
      isMoreDue = await correct();
    }
    return isMoreDue ? 'more' : REST_MS;
  }

  /** Returns whether more may be due. */
  async function countPage(step: RollUpStep, until: Date): Promise<boolean> {
    const startedAt = performance.now();
    const steps = stepsAtOnce.get(step) ?? 1;
    // For the case that it takes too long.
    stepsAtOnce.set(step, 1);
    const hasCounted = await withTimeLimit(db, STATEMENT_LIMIT_MS, (tx) =>
      rollUpPage(tx, { step, until, steps, orgs: ORGS }),
    );
    stepsAtOnce.set(step, elapsedMs(startedAt) < FAST_MS ? Math.min(2 * steps, STEPS) : 1);
    return hasCounted;
  }

  /** Returns whether there are more corrections. */
  async function correct(): Promise<boolean> {
    const counts: number[] = [];
    for (const step of ROLL_UP_STEPS) {
      counts.push(
        await withTimeLimit(db, STATEMENT_LIMIT_MS, (tx) => applyCorrections(tx, { step, limit: CORRECTIONS })),
      );
    }
    const isMoreToMerge = await withTimeLimit(db, STATEMENT_LIMIT_MS, (tx) => mergeFailedAttempts(tx, CORRECTIONS));
    return isMoreToMerge || counts.includes(CORRECTIONS);
  }

  return leasedTask({
    name: 'roll-up',
    db,
    lease,
    ttlMs: 2 * 60_000,
    askAgainMs: 30_000,
    round: countNext,
    onLost() {
      clock = null;
    },
  });
}
