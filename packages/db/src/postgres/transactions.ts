import { createFairLimiter, type FairLimiter } from '@jobline/runtime';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from './client.js';
import { retryDeadlocks, SHARE_USED_UP } from './errors.js';

const LIMITS = { maxWait: 5_000, timeout: 10_000 };
/** For a lock that another process holds. */
const LOCK_LIMIT_MS = 3_000;

/** Work of one process that needs the same lock waits here, where a wait takes no connection. */
const WAITING = { perOwner: 1, maxQueued: 200, waitMs: 10_000, tooMany: () => new Error(SHARE_USED_UP) };
const limiters = new WeakMap<Db, FairLimiter>();

export interface Lock {
  /** What the statement locks, in an order that is the same for all of its users. */
  names: readonly string[];
  /** It must select from `limits` too, which sets how long it waits. */
  statement: Prisma.Sql;
  /** How long the work may take. Default: 10 s. */
  limitMs?: number;
}

/**
 * Runs work in a transaction that holds the locks of a statement. Work with the same lock runs one after the other. Work that
 * waits too long fails as if the database were unavailable.
 */
export function whileLocked<T>(
  db: Db,
  { names, statement, limitMs = LIMITS.timeout }: Lock,
  work: (tx: DbSession) => Promise<T>,
): Promise<T> {
  const run = () =>
    db.$transaction(
      async (tx) => {
        const limits = setLimits({ lock: LOCK_LIMIT_MS, statement: limitMs });
        await tx.$executeRaw`WITH limits AS MATERIALIZED (${limits}) ${statement}`;
        return work(tx);
      },
      { ...LIMITS, timeout: limitMs },
    );
  const limiter = limiters.get(db) ?? createFairLimiter(WAITING);
  limiters.set(db, limiter);
  const inTurn = ([name, ...others]: readonly string[]): Promise<T> =>
    name === undefined ? retryDeadlocks(run) : limiter.run(() => inTurn(others), { owner: name });
  return inTurn(names);
}

/** Sets how long the statements of a transaction may wait for a lock and take, instead of the limits of its connection. */
export async function limitStatements(tx: DbSession, limitsMs: { lock: number; statement: number }): Promise<void> {
  await tx.$executeRaw`${setLimits(limitsMs)}`;
}

function setLimits({ lock, statement }: { lock: number; statement: number }): Prisma.Sql {
  return Prisma.sql`
    SELECT set_config('lock_timeout', ${String(lock)}, true), set_config('statement_timeout', ${String(statement)}, true)`;
}

/** How long a statement may wait for a connection. */
const MAX_WAIT_MS = 5_000;
/** The server ends the statement first; this limit is for a server that no longer responds. */
const GRACE_MS = 1_000;

/** Runs a statement that the server ends after `limitMs`, instead of after the limit of its connection. */
export function withTimeLimit<T>(db: Db, limitMs: number, run: (session: DbSession) => Promise<T>): Promise<T> {
  return db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT set_config('statement_timeout', ${String(limitMs)}, true)`;
      return run(tx);
    },
    { maxWait: MAX_WAIT_MS, timeout: limitMs + GRACE_MS },
  );
}
