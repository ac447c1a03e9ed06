import type { OrgId } from '@jobline/contracts';
import type { Db, DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';

/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 10_000 };

/**
 * Runs the start of a bulk action. The starts of one organization run one after the other. They do not lock the row of the
 * organization, because its held jobs cannot start meanwhile, and to find the jobs may take seconds.
 */
export function startingBulk<T>(db: Db, orgId: OrgId, start: (tx: DbSession) => Promise<T>): Promise<T> {
  return retryDeadlocks(() =>
    db.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL lock_timeout = '3s'`;
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`bulk ${orgId}`}, 0))`;
      return start(tx);
    }, LIMITS),
  );
}
