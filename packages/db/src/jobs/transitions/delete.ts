import type { JobKey, OrgId } from '@jobline/contracts';
import { usedBy } from '../../files/sources.js';
import { Prisma } from '../../generated/client.js';
import type { Db, DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { FIRST_ID } from '../../postgres/page.js';
import { KEYS_OF_GONE, messagesOf, REDACT_EVENTS, shownColumn } from '../redaction.js';

/**
 * `open`: the job is not finished. `needed`: an unfinished job waits for it or refers to its result. `used`: an unfinished job takes an
 * artifact of it. `gone`: the organization has no such job.
 */
export type DeleteResult =
  | { kind: 'deleted'; job: DeletedJob }
  | { kind: 'open' }
  | { kind: 'needed' }
  | { kind: 'used'; by: string }
  | { kind: 'gone' };

/** How many times a job can change while a delete waits for its row. */
const MAX_CHANGES = 10;

/**
 * Deletes a finished job of an organization, with its payment, the texts of its messages, and what else these and its
 * events have of redacted keys, in one statement. Log and files may be more than one statement can delete, and are left
 * for `listDeleted`. Idempotency keys keep the last status. Triggers: the rows of its tags, and of what it is about, are deleted
 * (`write_job_tags.sql`, `write_job_abouts.sql`), and the job is subtracted from the statistics of finished jobs (`correct_job_counts.sql`).
 */
export async function deleteFinished(db: Db, orgId: OrgId, id: string): Promise<DeleteResult> {
  for (let n = 0; n < MAX_CHANGES; n++) {
    const which = Prisma.sql`org_id = ${orgId}::uuid AND id = ${id}`;
    const [found] = await retryDeadlocks(() => deleteEach(db, which));
    if (!found) return { kind: 'gone' };
    if (found.isLive) return { kind: 'open' };
    if (found.isNeeded) return { kind: 'needed' };
    if (found.usedBy !== null) return { kind: 'used', by: found.usedBy };
    if (found.hasFiles !== null) return { kind: 'deleted', job: { key: found.key, hasFiles: found.hasFiles } };
    // Another request has deleted or retried the job while the statement waited for its lock.
  }
  throw new Error('the job was changed each time that a delete looked for it');
}

interface Found {
  key: DeletedJob['key'];
  isLive: boolean;
  isNeeded: boolean;
  /** The id of an unfinished job that takes an artifact of it; null: there is none. */
  usedBy: string | null;
  /** Null: the job was not deleted. */
  hasFiles: boolean | null;
}

/** Like deleteFinished, for several jobs. Returns those that were finished. */
export async function deleteAllFinished(db: DbSession, keys: readonly JobKey[]): Promise<DeletedJob[]> {
  const found = await deleteEach(db, Prisma.sql`key = ANY (${keys}::uuid[])`);
  return found.flatMap(({ key, hasFiles }) => (hasFiles === null ? [] : [{ key, hasFiles }]));
}

/** SQL: whether no unfinished job takes an artifact of a finished job, waits for it or refers to its result. */
const IS_UNUSED = Prisma.sql`NOT is_needed(key) AND NOT EXISTS (
  SELECT FROM job_sources r WHERE r.org_id = finished_jobs.org_id AND r.source = 'job:' || finished_jobs.id)`;

/** SQL: locks the finished jobs with these keys, so that no job is stored meanwhile that needs one of them. */
const heldOf = (keys: Prisma.Sql) => Prisma.sql`
    SELECT key FROM finished_jobs WHERE key = ANY (ARRAY(${keys})) ORDER BY key FOR UPDATE`;

/** SQL: what is deleted and written with each job of `gone`. `messages`: what happens to its messages. `r`: its redacted keys. */
const withGone = (messages: Prisma.Sql) => Prisma.sql`
    r AS MATERIALIZED (${KEYS_OF_GONE}),
    sent AS MATERIALIZED (${messagesOf('gone')}),
    submitted AS (DELETE FROM submitted_jobs s USING gone WHERE s.key = gone.key),
    waited AS (DELETE FROM job_conditions c USING gone WHERE c.job_key = gone.key),
    paid AS (DELETE FROM payments p USING gone WHERE p.job_key = gone.key),
    ${messages},
    events AS (${REDACT_EVENTS}),
    noted AS (
      INSERT INTO deleted_jobs (key, has_files)
      -- An attempt may have been interrupted between writing the file and its row.
      SELECT key, attempt > 1 OR (attempt = 1 AND status::text = 'failed')
        OR EXISTS (SELECT FROM artifacts a WHERE a.job_key = gone.key AND a.store_key IS NOT NULL)
      FROM gone
      RETURNING key, has_files)`;

/** `which`: the condition on the rows of submitted_jobs. */
function deleteEach(db: DbSession, which: Prisma.Sql): Promise<Found[]> {
  return db.$queryRaw<Found[]>`
    WITH s AS MATERIALIZED (SELECT key, org_id, id FROM submitted_jobs WHERE ${which}),
    held AS MATERIALIZED (${heldOf(Prisma.sql`SELECT key FROM s`)}),
    gone AS (
      DELETE FROM finished_jobs WHERE key = ANY (ARRAY(SELECT key FROM held)) AND ${IS_UNUSED} RETURNING key, org_id, attempt, status),
    ${withGone(Prisma.sql`texts AS (
      UPDATE messages m SET body = NULL, recipient = ${shownColumn('recipient')}, sender = ${shownColumn('sender')},
        subject = ${shownColumn('subject')}, template = CASE WHEN r.key IS NULL OR r.keys IS NULL THEN m.template END
      FROM sent LEFT JOIN r ON r.key = sent.key WHERE m.id = sent.id)`)},
    kept AS (
      INSERT INTO deleted_statuses (key, status, deleted_at)
      SELECT key, status, date_trunc('milliseconds', now()) FROM gone)
    SELECT s.key, EXISTS (SELECT FROM live_jobs l WHERE l.key = s.key) AS "isLive", noted.has_files AS "hasFiles",
      noted.key IS NULL AND is_needed(s.key) AS "isNeeded",
      CASE WHEN noted.key IS NULL THEN ${usedBy(Prisma.sql`s.org_id`, Prisma.sql`'job:' || s.id`)} END AS "usedBy"
    FROM s LEFT JOIN noted ON noted.key = s.key`;
}

/** A deleted job, and what its payload took bytes from. */
export interface ErasedJob extends DeletedJob {
  sources: string[] | null;
}

/**
 * Deletes those of these jobs that are finished, whatever needs them, with their payments, and keeps only their last status for
 * idempotency keys. The caller has deleted their messages and events. Triggers: those of `deleteFinished`.
 */
export function eraseAllFinished(tx: DbSession, keys: readonly JobKey[]): Promise<ErasedJob[]> {
  return tx.$queryRaw<ErasedJob[]>`
    WITH held AS MATERIALIZED (${heldOf(Prisma.sql`SELECT unnest(${keys}::uuid[])`)}),
    gone AS (
      DELETE FROM finished_jobs WHERE key = ANY (ARRAY(SELECT key FROM held)) RETURNING key, org_id, attempt, status, sources),
    ${withGone(Prisma.sql`unsent AS (DELETE FROM messages m USING sent WHERE m.id = sent.id)`)},
    kept AS (
      INSERT INTO deleted_statuses (key, status, deleted_at)
      SELECT key, status, date_trunc('milliseconds', now()) FROM gone)
    SELECT noted.key, noted.has_files AS "hasFiles", gone.sources FROM noted JOIN gone ON gone.key = noted.key`;
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

/** A job's key, and whether the job has been finished for longer than jobs are kept. */
export interface OldJob {
  key: JobKey;
  isExpired: boolean;
}

/**
 * The next page, by key, of the jobs that were submitted before the retention period began. Keys are UUIDs of version
 * 7, which begin with the time, so the primary key alone finds them. `after` is the last key of the previous page.
 */
export async function listOld(
  db: DbSession,
  page: { after: JobKey | null; limit: number; days: number },
): Promise<OldJob[]> {
  return db.$queryRaw<OldJob[]>`
    WITH kept AS MATERIALIZED (SELECT now() - ${page.days}::int * interval '1 day' AS since),
    bound AS MATERIALIZED (
      SELECT (lpad(to_hex(floor(extract(epoch FROM since) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid AS key FROM kept)
    SELECT s.key, coalesce(f.finished_at < (SELECT since FROM kept), false) AS "isExpired"
    FROM submitted_jobs s LEFT JOIN finished_jobs f ON f.key = s.key
    WHERE s.key > ${page.after ?? FIRST_ID}::uuid AND s.key < (SELECT key FROM bound)
    ORDER BY s.key LIMIT ${page.limit}`;
}

/**
 * Deletes the expired jobs among the keys, each with its payment and message, in one statement: a concurrent retry either finds the
 * complete job, which then stays, or does not find it. Log and files may be more than one statement can delete, and are
 * left for `listDeleted`. Returns how many jobs it deleted. Triggers: those of `deleteFinished`.
 */
export async function deleteExpiredJobs(db: DbSession, keys: readonly JobKey[], days: number): Promise<number> {
  const sorted = [...keys].sort();
  const rows = await retryDeadlocks(
    () => db.$queryRaw<{ count: number }[]>`
      WITH held AS MATERIALIZED (${heldOf(Prisma.sql`SELECT unnest(${sorted}::uuid[])`)}),
      gone AS (
        DELETE FROM finished_jobs
        WHERE key = ANY (ARRAY(SELECT key FROM held)) AND finished_at < now() - ${days}::int * interval '1 day' AND ${IS_UNUSED}
        RETURNING key, org_id, attempt, status),
      ${withGone(Prisma.sql`unsent AS (DELETE FROM messages m USING sent WHERE m.id = sent.id),
      reports AS (DELETE FROM message_events e USING sent WHERE e.message_id = sent.id)`)}
      SELECT count(*)::int AS count FROM gone`,
  );
  return rows[0]?.count ?? 0;
}

/** A deleted job of which log lines or files may be left. */
export interface DeletedJob {
  key: JobKey;
  /** Whether the artifact store may have files of the job. */
  hasFiles: boolean;
}

/** An organization that keeps its jobs for less time than the installation does. */
export interface RetainingOrg {
  orgId: OrgId;
  days: number;
}

/** The next organizations, in the order of their ids, that keep their jobs for less than `days`. */
export function listRetainingOrgs(
  db: DbSession,
  { after, days, limit }: { after: OrgId | null; days: number; limit: number },
): Promise<RetainingOrg[]> {
  return db.$queryRaw<RetainingOrg[]>`
    SELECT org_id AS "orgId", retention_days AS days FROM organization_settings
    WHERE retention_days IS NOT NULL AND retention_days < ${days} AND org_id > ${after ?? FIRST_ID}::uuid
    ORDER BY org_id LIMIT ${limit}`;
}

/** The finished jobs of an organization that finished first, of those that finished more than `days` ago: at most `limit`. */
export async function listOldOf(db: DbSession, { orgId, days }: RetainingOrg, limit: number): Promise<JobKey[]> {
  const rows = await db.$queryRaw<{ key: JobKey }[]>`
    SELECT key FROM finished_jobs
    WHERE org_id = ${orgId}::uuid AND finished_at < now() - ${days}::int * interval '1 day'
    ORDER BY finished_at LIMIT ${limit}`;
  return rows.map(({ key }) => key);
}

/** The next deleted jobs, by key, of which log lines or files may be left. */
export function listDeleted(
  db: DbSession,
  { after, limit }: { after: JobKey | null; limit: number },
): Promise<DeletedJob[]> {
  return db.$queryRaw<DeletedJob[]>`
    SELECT key, has_files AS "hasFiles" FROM deleted_jobs
    WHERE key > ${after ?? FIRST_ID}::uuid ORDER BY key LIMIT ${limit}`;
}

/** Deletes at most `limit` log lines of deleted jobs. Returns how many. */
export function deleteLinesOf(db: DbSession, keys: readonly JobKey[], limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM job_logs WHERE (job_key, id) IN (
      SELECT l.job_key, l.id FROM deleted_jobs d JOIN job_logs l ON l.job_key = d.key
      WHERE d.key = ANY(${keys}::uuid[]) LIMIT ${limit})`;
}

/** Deletes at most `limit` artifacts of deleted jobs, but not their files in the artifact store. Returns how many. */
export function deleteArtifactsOf(db: DbSession, keys: readonly JobKey[], limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM artifacts WHERE (job_key, name) IN (
      SELECT a.job_key, a.name FROM deleted_jobs d JOIN artifacts a ON a.job_key = d.key
      WHERE d.key = ANY(${keys}::uuid[]) LIMIT ${limit})`;
}

/** Call it when no log line and no file is left of these deleted jobs: nothing could find the rest afterwards. */
export async function forgetDeleted(db: DbSession, keys: readonly JobKey[]): Promise<void> {
  await db.$executeRaw`
    WITH reported AS (DELETE FROM job_progress WHERE job_key = ANY(${keys}::uuid[]))
    DELETE FROM deleted_jobs WHERE key = ANY(${keys}::uuid[])`;
}

/**
 * Deletes at most `limit` expired idempotency keys. A key whose job is still kept is postponed instead, until a day
 * after jobs of its age are deleted: so it is written once more, and outlives its jobs. It is postponed by a day only
 * if one of its jobs is kept even then, because it finished late. Returns how many keys it has processed.
 */
export async function deleteExpiredIdempotencyKeys(
  db: DbSession,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const rows = await retryDeadlocks(
    () => db.$queryRaw<{ count: number }[]>`
      WITH due AS MATERIALIZED (
        SELECT org_id, key, EXISTS (SELECT 1 FROM submitted_jobs j WHERE j.key = ANY(k.job_keys)) AS is_kept
        FROM idempotency_keys k WHERE expires_at < now() ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED),
      deleted AS (
        DELETE FROM idempotency_keys k USING due WHERE k.org_id = due.org_id AND k.key = due.key AND NOT due.is_kept),
      put_off AS (
        UPDATE idempotency_keys k
        SET expires_at = greatest(k.created_at + least(${days}::int, (
          SELECT retention_days FROM organization_settings o WHERE o.org_id = k.org_id)) * interval '1 day', now()) + interval '1 day'
        FROM due WHERE k.org_id = due.org_id AND k.key = due.key AND due.is_kept)
      SELECT count(*)::int AS count FROM due`,
  );
  return rows[0]?.count ?? 0;
}
