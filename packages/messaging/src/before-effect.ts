import { isUnavailable } from '@jobline/db';
import { Postponed } from '@jobline/handlers/errors';

const AGAIN_IN_MS = 2_000;

/**
 * Runs a query that an attempt needs before it has any effect. If Postgres is unavailable, the attempt is postponed, so
 * an outage uses no retry of a job.
 */
export async function beforeEffect<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new Postponed(AGAIN_IN_MS, 'Postgres is not available');
  }
}
