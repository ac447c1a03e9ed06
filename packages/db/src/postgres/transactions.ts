import type { Prisma } from '../generated/client.js';
import type { Db, DbSession } from './client.js';
import { retryDeadlocks } from './errors.js';

/** Long waits are allowed, because many requests may wait for one lock. */
const LIMITS = { maxWait: 5_000, timeout: 10_000 };

/**
 * Runs work in a transaction that holds the locks of a statement. Work with the same lock runs one after the other. A request
 * that waits too long fails as if the database were unavailable, and keeps no connection.
 */
export function whileLocked<T>(db: Db, lock: Prisma.Sql, work: (tx: DbSession) => Promise<T>): Promise<T> {
  return retryDeadlocks(() =>
    db.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL lock_timeout = '3s'`;
      await tx.$executeRaw(lock);
      return work(tx);
    }, LIMITS),
  );
}

/** How long a statement may wait for a connection. */
const MAX_WAIT_MS = 5_000;
/** The server ends the statement first; this limit is for a server that no longer responds. */
const GRACE_MS = 1_000;

/**
 * Runs a statement that the server ends after `limitMs`: for repeated reads that may become slow and that no request
 * waits for.
 */
export function withTimeLimit<T>(db: Db, limitMs: number, run: (session: DbSession) => Promise<T>): Promise<T> {
  return db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT set_config('statement_timeout', ${String(limitMs)}, true)`;
      return run(tx);
    },
    { maxWait: MAX_WAIT_MS, timeout: limitMs + GRACE_MS },
  );
}
