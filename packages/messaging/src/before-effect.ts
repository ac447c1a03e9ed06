import { isUnavailable } from '@jobline/db';
import { Postponed } from '@jobline/handlers/errors';
import { pause } from '@jobline/runtime';

/** Different for each attempt, so that they do not all return in the same moment. */
const againInMs = () => 2_000 * (1 + Math.random());
/** Shorter than the time limit of any built-in type: a server that no longer responds must not time out the attempt. */
const READ_LIMIT_MS = 10_000;

/**
 * Runs a query that an attempt needs before it has any effect. If Postgres is unavailable, the attempt is postponed, so
 * an outage uses no retry of a job.
 */
export async function beforeEffect<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    throw isUnavailable(error) ? postponed() : error;
  }
}

/** The same for a query that writes nothing: after the limit its result is not awaited. */
export async function readBeforeEffect<T>(query: () => Promise<T>): Promise<T> {
  const finished = new AbortController();
  const limit = pause(READ_LIMIT_MS, finished.signal).then(() => Promise.reject(postponed()));
  try {
    return await Promise.race([beforeEffect(query), limit]);
  } finally {
    finished.abort();
  }
}

function postponed(): Postponed {
  return new Postponed(againInMs(), 'Postgres is not available');
}
