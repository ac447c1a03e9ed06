import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { UNDER_LIMIT } from './held.js';
import { HAS_NOT_REFUSED, reachOf, schemaOf } from './reach.js';
import type { Run } from './repair.js';

/**
 * processing → pending for a run whose payload the schema of its worker has refused, if a live worker with another schema has the
 * type. Undoes the claim: the job has no such attempt. Each schema can do this once with a job, so it ends: the job then waits for a
 * worker whose schema has not refused it, or if there is none, is claimed by any and fails. False: there is none now, the job
 * is canceled, or another run has claimed it. Trigger: a job that becomes held writes its lane (`wake_limit_lanes.sql`).
 */
export async function refusePayload(db: DbSession, { key, token }: Run, leaseMs: number): Promise<boolean> {
  const refused = await retryDeadlocks(
    () => db.$queryRaw<unknown[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    n AS MATERIALIZED (
      SELECT j.*, ${reachOf(leaseMs, HAS_NOT_REFUSED)} AS reach
      FROM (SELECT key, type, queue, attempt - 1 AS attempt, array_append(refused_by, ${schemaOf(Prisma.sql`j.worker_id`)}) AS refused_by
        FROM live_jobs j WHERE key = ${key}::uuid) AS j),
    -- The attempt before, if there was one.
    b AS MATERIALIZED (
      SELECT min(l.at) FILTER (WHERE l.kind = 'started') AS started_at, max(l.duration_ms) AS duration_ms,
        max(l.worker_version) AS worker_version
      FROM n JOIN job_logs l ON l.job_key = n.key AND l.attempt = n.attempt),
    r AS (
      UPDATE live_jobs j SET status = 'pending', worker_id = NULL, claim_token = NULL, attempt = n.attempt, started_at = b.started_at,
        duration_ms = b.duration_ms, worker_version = b.worker_version, refused_by = n.refused_by, queue = n.reach, updated_at = t.now,
        place = (CASE WHEN ${UNDER_LIMIT} THEN 'held' ELSE 'waiting' END)::job_place
      FROM t, n, b
      WHERE j.key = ${key}::uuid AND j.claim_token = ${token}::uuid AND j.status::text = 'processing'
        AND j.cancel_requested_at IS NULL AND n.reach IS NOT NULL
      RETURNING j.key, j.attempt),
    -- Notes from before the first attempt have its number, too.
    l AS (DELETE FROM job_logs l USING r WHERE l.job_key = r.key AND l.attempt = r.attempt + 1 AND l.id >= (
      SELECT max(s.id) FROM job_logs s WHERE s.job_key = r.key AND s.attempt = r.attempt + 1 AND s.kind = 'started'))
    SELECT 1 FROM r`,
  );
  return refused.length > 0;
}
