import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { insertFailed } from './finish.js';
import type { Enqueueable } from './repair.js';

/** A job that has expired, and the entry that it may have in its queue. */
export interface ExpiredJob extends Enqueueable {
  orgId: OrgId;
  type: string;
}

/**
 * pending → failed with `expired`, for at most `limit` jobs whose `expires_at` has passed, the oldest first. Jobs that
 * another statement has locked are left to the next call. Safe to call in several processes. Triggers: those of `insertFailed`.
 */
export function failExpired(db: DbSession, limit: number, message: string): Promise<ExpiredJob[]> {
  return retryDeadlocks(
    () => db.$queryRaw<ExpiredJob[]>`
      WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      due AS MATERIALIZED (
        SELECT key FROM live_jobs
        WHERE status = 'pending' AND expires_at <= (SELECT now FROM t)
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED),
      finished AS (
        DELETE FROM live_jobs j USING t WHERE j.key = ANY (ARRAY(SELECT key FROM due))
        -- The dispatcher adds a waiting job under its next number.
        RETURNING j.*, t.now, j.enqueue_seq + (j.place = 'waiting')::int AS seq),
      f AS (${insertFailed('expired', Prisma.sql`${message}`, { enqueue_seq: Prisma.sql`seq` })}),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, error_code)
        SELECT key, org_id, greatest(attempt, 1), 'expired', 'warn', ${message}, now, 'failed', 'expired' FROM finished)
      SELECT key, queue, seq, org_id AS "orgId", type FROM finished`,
  );
}
