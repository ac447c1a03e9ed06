import type { Db, DbSession } from './client.js';

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
