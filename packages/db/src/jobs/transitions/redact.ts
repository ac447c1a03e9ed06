import { type JobKey, type OrgId, REDACTED } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { FIRST_ID } from '../../postgres/page.js';
import { messagesOf, REDACT_EVENTS, shownColumn } from '../redaction.js';

/** An organization that redacts payloads. */
export interface RedactingOrg {
  orgId: OrgId;
  /** The names of the keys. */
  keys: string[];
}

/** The next organizations, in the order of their ids, that redact payloads. */
export function listRedactingOrgs(db: DbSession, after: OrgId | null, limit: number): Promise<RedactingOrg[]> {
  return db.$queryRaw<RedactingOrg[]>`
    SELECT org_id AS "orgId", redact_keys AS keys FROM organization_settings
    WHERE redact_keys <> '{}' AND org_id > ${after ?? FIRST_ID}::uuid ORDER BY org_id LIMIT ${limit}`;
}

/** A job that finished long enough ago to be redacted. */
export interface DueJob {
  key: JobKey;
  finishedAt: Date;
  /** JSON text; null: it has none of the keys. */
  payload: string | null;
}

export interface DuePage {
  jobs: DueJob[];
  /** Whether more jobs may be due. */
  hasMore: boolean;
}

/**
 * The next jobs of an organization to examine, in the order in which they finished, or the first of them whose payloads
 * have at most about `searchedBytes` together, and those that have the keys at most about `bytes`. Empty if the
 * organization has chosen other keys meanwhile. A transaction may commit some time after the end of its jobs, so jobs
 * of the last `lagMs` are left for later.
 */
export async function listDueForRedaction(
  db: DbSession,
  { orgId, keys }: RedactingOrg,
  { lagMs, limit, searchedBytes, bytes }: { lagMs: number; limit: number; searchedBytes: number; bytes: number },
): Promise<DuePage> {
  const rows = await db.$queryRaw<(DueJob & { found: number })[]>`
    WITH o AS MATERIALIZED (
      SELECT redact_keys, coalesce(redacted_until, '-infinity') AS since, coalesce(redacted_until_key, ${FIRST_ID}::uuid) AS since_key,
        now() - greatest(redact_after_days * interval '1 day', ${lagMs} * interval '1 ms') AS until
      FROM organization_settings WHERE org_id = ${orgId}::uuid AND redact_keys = ${keys}::text[]),
    page AS MATERIALIZED (
      SELECT key, finished_at FROM finished_jobs
      WHERE org_id = ${orgId}::uuid AND finished_at >= (SELECT since FROM o) AND finished_at < (SELECT until FROM o)
        AND (finished_at > (SELECT since FROM o) OR key > (SELECT since_key FROM o))
      ORDER BY finished_at, key LIMIT ${limit}),
    measured AS MATERIALIZED (
      SELECT page.key, page.finished_at, sum(s.bytes) OVER (ORDER BY page.finished_at, page.key) - s.bytes AS bytes_before
      FROM page CROSS JOIN LATERAL (
        SELECT octet_length(payload::text) AS bytes FROM submitted_jobs WHERE submitted_jobs.key = page.key OFFSET 0) AS s),
    sized AS MATERIALIZED (
      SELECT p.key, p.finished_at, s.bytes, sum(s.bytes) OVER (ORDER BY p.finished_at, p.key) - s.bytes AS bytes_before
      FROM (SELECT * FROM measured WHERE bytes_before <= ${searchedBytes}) AS p CROSS JOIN LATERAL (
        SELECT CASE WHEN keys_to_redact(payload, o.redact_keys) IS NULL THEN 0 ELSE octet_length(payload::text) END AS bytes
        FROM submitted_jobs, o WHERE submitted_jobs.key = p.key OFFSET 0) AS s)
    SELECT z.key, z.finished_at AS "finishedAt", (SELECT count(*)::int FROM page) AS found,
      CASE WHEN z.bytes > 0 THEN (SELECT payload::text FROM submitted_jobs WHERE key = z.key) END AS payload
    FROM sized z WHERE z.bytes_before <= ${bytes} ORDER BY z.finished_at, z.key`;
  const found = rows[0]?.found ?? 0;
  return { jobs: rows.map(({ found: _, ...job }) => job), hasMore: found === limit || rows.length < found };
}

/** A job with its redacted payload. */
export interface RedactedJob {
  key: JobKey;
  /** A job that was retried since then stays as it is. */
  finishedAt: Date;
  /** JSON text. */
  payload: string;
}

/**
 * Replaces the payloads of finished jobs, and what their messages, payments and events have of the values of these
 * keys, and deletes the stacks of their errors, their progress, and what finds them by redacted recipients (trigger: `write_job_abouts.sql`). The row of each finished job is changed first, so a concurrent retry either comes first, and then its job stays
 * as it is, or finds a redacted job.
 */
export async function redactJobs(
  db: DbSession,
  redacted: readonly string[],
  jobs: readonly RedactedJob[],
): Promise<void> {
  const keys = jobs.map(({ key }) => key);
  await retryDeadlocks(
    () => db.$executeRaw`
      WITH n AS MATERIALIZED (
        SELECT * FROM unnest(${keys}::uuid[], ${jobs.map(({ finishedAt }) => finishedAt.toISOString())}::timestamptz[],
          ${jobs.map(({ payload }) => payload)}::text[]) AS n(key, finished_at, payload)),
      f AS (
        UPDATE finished_jobs f SET redacted_at = date_trunc('milliseconds', clock_timestamp())
        FROM n WHERE f.key = ANY (${keys}::uuid[]) AND f.key = n.key AND f.finished_at = n.finished_at
        RETURNING f.key, n.payload),
      r AS MATERIALIZED (
        SELECT f.key, f.payload, keys_to_redact(s.payload, ${redacted}::text[]) AS keys
        FROM f JOIN submitted_jobs s ON s.key = f.key),
      sent AS MATERIALIZED (${messagesOf('r')}),
      texts AS (
        UPDATE messages m SET recipient = ${shownColumn('recipient')}, sender = ${shownColumn('sender')},
          subject = ${shownColumn('subject')}, body = ${shownColumn('body')},
          template = CASE WHEN 'template' <> ALL (${redacted}::text[]) THEN m.template END
        FROM sent JOIN r ON r.key = sent.key WHERE m.id = sent.id),
      paid AS (
        UPDATE payments p SET phone = CASE WHEN 'phone' = ANY (r.keys) THEN ${REDACTED} ELSE p.phone END,
          amount = CASE WHEN 'amount' = ANY (r.keys) THEN NULL ELSE p.amount END,
          ref = CASE WHEN 'ref' = ANY (r.keys) THEN ${REDACTED} ELSE p.ref END
        FROM r WHERE p.job_key = r.key),
      stacks AS (UPDATE job_logs l SET stack = NULL FROM r WHERE l.job_key = r.key AND l.stack IS NOT NULL),
      reported AS (DELETE FROM job_progress p USING r WHERE p.job_key = r.key),
      events AS (${REDACT_EVENTS})
      UPDATE submitted_jobs s SET payload = r.payload::json, abouts = (
        SELECT array_agg(a) FROM unnest(s.abouts) AS a WHERE split_part(a, ':', 1) <> ALL (${redacted}::text[]))
      FROM r WHERE s.key = r.key`,
  );
}

/** Stores that the jobs of an organization up to this one are examined, unless it has chosen other keys meanwhile. */
export async function saveRedactedUntil(
  db: DbSession,
  { orgId, keys }: RedactingOrg,
  { key, finishedAt }: Pick<DueJob, 'key' | 'finishedAt'>,
): Promise<void> {
  await db.$executeRaw`
    UPDATE organization_settings SET redacted_until = ${finishedAt.toISOString()}::timestamptz, redacted_until_key = ${key}::uuid
    WHERE org_id = ${orgId}::uuid AND redact_keys = ${keys}::text[]`;
}
