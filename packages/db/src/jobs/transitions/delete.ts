import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { Db, DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { KEYS_OF_GONE, REDACT_EVENTS, shownColumn } from '../redacted-copies.js';
import type { DeletedJob } from './expire.js';

/** `open`: the job is not finished. `gone`: the organization has no such job. */
export type DeleteResult = { kind: 'deleted'; job: DeletedJob } | { kind: 'open' } | { kind: 'gone' };

/** How many times a job can change while a delete waits for its row. */
const MAX_CHANGES = 10;

/**
 * Deletes a finished job of an organization, with its payment, the texts of its messages, and what else these and its events
 * have of redacted keys, in one statement. Log and files may be more than one statement can delete, and are left for `listDeleted`. Idempotency keys keep the last status.
 * Triggers: the rows of its tags are deleted (`write_job_tags.sql`), and the job is subtracted from the statistics of finished jobs
 * (`correct_job_counts.sql`).
 */
export async function deleteFinished(db: Db, orgId: OrgId, id: string): Promise<DeleteResult> {
  for (let n = 0; n < MAX_CHANGES; n++) {
    const which = Prisma.sql`org_id = ${orgId}::uuid AND id = ${id}`;
    const [found] = await retryDeadlocks(() => deleteEach(db, which));
    if (!found) return { kind: 'gone' };
    if (found.isLive) return { kind: 'open' };
    if (found.hasFiles !== null) return { kind: 'deleted', job: { key: found.key, hasFiles: found.hasFiles } };
    // Another request has deleted or retried the job while the statement waited for its lock.
  }
  throw new Error('the job was changed each time that a delete looked for it');
}

interface Found {
  key: DeletedJob['key'];
  isLive: boolean;
  /** Null: the job was not deleted. */
  hasFiles: boolean | null;
}

/** Like deleteFinished, for several jobs. Returns those that were finished. */
export async function deleteAllFinished(db: DbSession, keys: readonly JobKey[]): Promise<DeletedJob[]> {
  const found = await deleteEach(db, Prisma.sql`key = ANY (${keys}::uuid[])`);
  return found.flatMap(({ key, hasFiles }) => (hasFiles === null ? [] : [{ key, hasFiles }]));
}

/** `which`: the condition on the rows of submitted_jobs. */
function deleteEach(db: DbSession, which: Prisma.Sql): Promise<Found[]> {
  return db.$queryRaw<Found[]>`
    WITH s AS MATERIALIZED (SELECT key FROM submitted_jobs WHERE ${which}),
    gone AS (DELETE FROM finished_jobs WHERE key = ANY (ARRAY(SELECT key FROM s)) RETURNING key, org_id, attempt, status),
    r AS MATERIALIZED (${KEYS_OF_GONE}),
    submitted AS (DELETE FROM submitted_jobs s USING gone WHERE s.key = gone.key),
    paid AS (DELETE FROM payments p USING gone WHERE p.job_key = gone.key),
    texts AS (
      UPDATE messages m SET body = NULL, recipient = ${shownColumn('recipient')}, sender = ${shownColumn('sender')},
        subject = ${shownColumn('subject')}
      FROM gone LEFT JOIN r ON r.key = gone.key WHERE m.job_key = gone.key),
    events AS (${REDACT_EVENTS}),
    noted AS (
      INSERT INTO deleted_jobs (key, has_files)
      -- An attempt may have been interrupted between writing the file and its row.
      SELECT key, attempt > 1 OR (attempt = 1 AND status::text = 'failed')
        OR EXISTS (SELECT FROM artifacts a WHERE a.job_key = gone.key AND a.store_key IS NOT NULL)
      FROM gone
      RETURNING key, has_files),
    kept AS (
      INSERT INTO deleted_statuses (key, status, deleted_at)
      SELECT key, status, date_trunc('milliseconds', now()) FROM gone)
    SELECT s.key, EXISTS (SELECT FROM live_jobs l WHERE l.key = s.key) AS "isLive", noted.has_files AS "hasFiles"
    FROM s LEFT JOIN noted ON noted.key = s.key`;
}

/**
 * Deletes at most `limit` statuses of jobs that were deleted so long ago that no idempotency key is left. `days`: how
 * long jobs are kept; a key is kept for two days longer at most. Returns how many.
 */
export function deleteOldStatuses(db: DbSession, { days, limit }: { days: number; limit: number }): Promise<number> {
  return db.$executeRaw`
    DELETE FROM deleted_statuses WHERE key IN (
      SELECT key FROM deleted_statuses WHERE deleted_at < now() - (${days}::int + 2) * interval '1 day'
      ORDER BY deleted_at LIMIT ${limit})`;
}
