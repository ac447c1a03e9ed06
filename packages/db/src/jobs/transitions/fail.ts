import type { JobErrorCode, JobKey, LogKind, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';
import { FIRST_ID } from '../../postgres/page.js';
import { KEPT_COLUMNS } from '../columns.js';
import { countFailedAttempts } from '../failed-attempts.js';
import type { Enqueueable } from './insert.js';

/** Columns that a finished job takes over from its live row, unless it gets a new value, in addition to KEPT_COLUMNS. */
const COLUMNS = [
  'key',
  'org_id',
  'id',
  'type',
  'queue',
  'max_retries',
  'retries',
  'attempt',
  'crash_count',
  'run_at',
  'enqueue_seq',
  'claim_token',
  'created_at',
  'started_at',
  'duration_ms',
  'cancel_requested_at',
  'is_quiet',
] as const;

/**
 * SQL: stores the jobs of the CTE `finished` as failed. `finished` deletes their rows from live_jobs and returns all columns
 * of these rows, and the current time as `now`: so a job is in one of the two tables at any time. `values`: what differs
 * from the live row. Triggers: each of these jobs writes its event for webhooks (`prisma/functions/write_job_events.sql`), and the
 * deletion of a held one makes the lanes of its key due (`wake_limit_lanes.sql`).
 */
export function insertFailed(
  code: string,
  message: Prisma.Sql,
  values: Partial<Record<(typeof COLUMNS)[number], Prisma.Sql>> = {},
): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO finished_jobs (status, error_code, error_message, finished_at, ${Prisma.raw(COLUMNS.join())}, ${KEPT_COLUMNS})
    SELECT 'failed', ${code}, ${message}, now, ${Prisma.join(COLUMNS.map((name) => values[name] ?? Prisma.raw(name)))},
      ${KEPT_COLUMNS}
    FROM finished`;
}

/**
 * SQL: how long the run of the job `j` has taken at `t.now`, in milliseconds; at most the highest value of an integer.
 */
export const RUN_MS = Prisma.sql`least(greatest(extract(epoch FROM t.now - j.started_at) * 1000, 0), 2147483647)::int`;

/** A pending job that failed, and the entry that it may have in its queue. */
export interface EndedJob extends Enqueueable {
  orgId: OrgId;
  type: string;
}

/** Jobs that failed, and the organization after which the next page begins; null: this was the last page. */
export interface EndedPage {
  jobs: EndedJob[];
  after: OrgId | null;
}

/** How many organizations with such jobs one page examines, with one index probe each. */
const MAX_ORGS = 1_000;

/** Whether a pending job of any organization has expired. Usually none has. */
export async function hasExpired(hot: HotDb): Promise<boolean> {
  const [row] = await hot.query<{ isDue: boolean }>`
    SELECT expires_at <= clock_timestamp() AS "isDue" FROM live_jobs
    WHERE status = 'pending' AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1`;
  return row?.isDue ?? false;
}

/** Whether a job of any organization is failing. Usually none is. */
export async function hasFailing(hot: HotDb): Promise<boolean> {
  const [row] = await hot.query<{ isDue: boolean }>`
    SELECT EXISTS (SELECT 1 FROM live_jobs WHERE status = 'pending' AND place = 'failing') AS "isDue"`;
  return row?.isDue ?? false;
}

/** pending → failed with `expired`, for jobs whose `expires_at` has passed. As `failEach` does it. */
export function failExpired(db: DbSession, page: Page, message: string): Promise<EndedPage> {
  const which = { condition: Prisma.sql`expires_at IS NOT NULL`, dueAt: Prisma.sql`expires_at` };
  return failEach(db, page, { ...which, code: 'expired', kind: 'expired', message: Prisma.sql`${message}` });
}

/**
 * pending → failed with `dependency_failed`, for failing jobs. As `failEach` does it. `message`: before and after the id of the job
 * for which they wait in vain.
 */
export function failWaiting(db: DbSession, page: Page, message: readonly [string, string]): Promise<EndedPage> {
  const which = { condition: Prisma.sql`place = 'failing'`, dueAt: Prisma.sql`created_at` };
  const text = Prisma.sql`${message[0]} || (
    SELECT c.after_id FROM job_conditions c WHERE c.job_key = j.key AND c.state = 'failed' ORDER BY c.n LIMIT 1) || ${message[1]}`;
  return failEach(db, page, { ...which, code: 'dependency_failed', kind: 'note', message: text });
}

interface Page {
  after: OrgId | null;
  limit: number;
}

/** Which pending jobs fail, and why. An index has the jobs of the condition, by organization, `dueAt` and key. */
interface Ending {
  condition: Prisma.Sql;
  dueAt: Prisma.Sql;
  code: JobErrorCode;
  kind: LogKind;
  message: Prisma.Sql;
}

/**
 * Fails pending jobs without an attempt: the same number for each organization, its first ones first, about `limit` in total. Many
 * such jobs of one organization do not delay the others. Jobs that another statement has locked are left to a later call. Safe to
 * call in several processes. Triggers: those of `insertFailed`.
 */
async function failEach(db: DbSession, page: Page, ending: Ending): Promise<EndedPage> {
  const { condition, dueAt, code, kind, message } = ending;
  const rows = await retryDeadlocks(
    () => db.$queryRaw<(EndedJob & { orgs: number; last: OrgId | null })[]>`
      WITH RECURSIVE t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      heads(org_id, due_at, n) AS (
        (SELECT org_id, ${dueAt}, 1 FROM live_jobs
         WHERE status = 'pending' AND ${condition} AND org_id > ${page.after ?? FIRST_ID}::uuid
         ORDER BY org_id, ${dueAt}, key LIMIT 1)
        UNION ALL
        (SELECT j.org_id, j.due_at, h.n + 1 FROM heads h, LATERAL (
          SELECT org_id, ${dueAt} AS due_at FROM live_jobs
          WHERE status = 'pending' AND ${condition} AND org_id > h.org_id
          ORDER BY org_id, ${dueAt}, key LIMIT 1) AS j
         WHERE h.n < ${MAX_ORGS}::int)),
      orgs AS MATERIALIZED (SELECT org_id, count(*) OVER () AS orgs FROM heads, t WHERE due_at <= t.now),
      due AS MATERIALIZED (
        SELECT d.key FROM orgs, LATERAL (
          SELECT key FROM live_jobs
          WHERE status = 'pending' AND ${condition} AND org_id = orgs.org_id AND ${dueAt} <= (SELECT now FROM t)
          ORDER BY org_id, ${dueAt}, key LIMIT ceil(${page.limit}::float8 / orgs.orgs)::bigint FOR UPDATE SKIP LOCKED) AS d),
      finished AS (
        DELETE FROM live_jobs j USING t WHERE j.key = ANY (ARRAY(SELECT key FROM due))
        -- The dispatcher adds a waiting job under its next number.
        RETURNING j.*, t.now, j.enqueue_seq + (j.place = 'waiting')::int AS seq, ${message} AS message),
      f AS (${insertFailed(code, Prisma.sql`message`, { enqueue_seq: Prisma.sql`seq` })}),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, error_code)
        SELECT key, org_id, greatest(attempt, 1), ${kind}::log_kind, ${kind === 'expired' ? 'warn' : 'error'}::log_level, message, now,
          'failed', ${code}
        FROM finished)
      SELECT f.key, f.queue, f.seq, f.org_id AS "orgId", f.type, h.orgs, h.last
      FROM (SELECT count(*)::int AS orgs, max(org_id::text) AS last FROM heads) AS h LEFT JOIN finished f ON true`,
  );
  const { orgs = 0, last = null } = rows[0] ?? {};
  return { jobs: rows.filter(({ key }) => key !== null), after: orgs === MAX_ORGS ? last : null };
}

/**
 * pending → failed with `dependency_failed`, for at most `limit` jobs that wait for one of these jobs, refer to its result or take an artifact
 * of it. `message`: before and after the id of the job that they need. Triggers: those of `insertFailed`.
 */
export function failNeeding(
  tx: DbSession,
  keys: readonly JobKey[],
  limit: number,
  message: readonly [string, string],
): Promise<EndedJob[]> {
  return tx.$queryRaw<EndedJob[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    needing AS MATERIALIZED (
      SELECT DISTINCT ON (n.key) n.key, n.id FROM (
        SELECT c.job_key AS key, c.after_id AS id FROM job_conditions c
        WHERE c.after_key = ANY (${keys}::uuid[]) AND (c.refers OR c.state <> 'met')
        UNION ALL
        SELECT r.job_key, s.id FROM submitted_jobs s JOIN job_sources r ON r.org_id = s.org_id AND r.source = 'job:' || s.id
        WHERE s.key = ANY (${keys}::uuid[])) AS n
      WHERE n.key <> ALL (${keys}::uuid[]) ORDER BY n.key, n.id),
    due AS MATERIALIZED (
      SELECT j.key, n.id FROM needing n JOIN live_jobs j ON j.key = n.key WHERE j.status::text = 'pending'
      ORDER BY j.key LIMIT ${limit} FOR UPDATE OF j),
    finished AS (
      DELETE FROM live_jobs j USING due, t WHERE j.key = due.key AND j.status::text = 'pending'
      RETURNING j.*, t.now, j.enqueue_seq + (j.place = 'waiting')::int AS seq, ${message[0]} || due.id || ${message[1]} AS message),
    -- So that no retry finds them met.
    c AS (
      UPDATE job_conditions k SET state = 'failed' FROM finished
      WHERE k.job_key = finished.key AND k.after_key = ANY (${keys}::uuid[])),
    f AS (${insertFailed('dependency_failed', Prisma.sql`message`, { enqueue_seq: Prisma.sql`seq` })}),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, error_code)
      SELECT key, org_id, greatest(attempt, 1), 'note', 'error', message, now, 'failed', 'dependency_failed' FROM finished)
    SELECT key, queue, seq, org_id AS "orgId", type FROM finished`;
}

/**
 * pending → failed with `no_handler`, as attempt 1 with the warning as its only line. Uses no retry. Only while the job
 * is still pending; returns the jobs that it failed. Triggers: those of `insertFailed`.
 */
export async function failUnhandled(
  db: DbSession,
  jobs: readonly { key: JobKey; message: string }[],
): Promise<{ key: JobKey; orgId: OrgId }[]> {
  const sorted = [...jobs].sort((a, b) => (a.key < b.key ? -1 : 1));
  return retryDeadlocks(
    () => db.$queryRaw<{ key: JobKey; orgId: OrgId }[]>`
      WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      finished AS (
        DELETE FROM live_jobs j
        USING t, unnest(${sorted.map((j) => j.key)}::uuid[], ${sorted.map((j) => j.message)}::text[]) AS n(key, message)
        WHERE j.key = n.key AND j.status::text = 'pending'
        RETURNING j.*, n.message, t.now),
      f AS (${insertFailed('no_handler', Prisma.sql`message`, {
        attempt: Prisma.sql`attempt + 1`,
        // The number of the entry that delivered it: a manual retry gets a new number.
        enqueue_seq: Prisma.sql`enqueue_seq + (place = 'waiting')::int`,
        started_at: Prisma.sql`now`,
        duration_ms: Prisma.sql`0`,
      })}),
      a AS (${countFailedAttempts(Prisma.sql`finished`)}),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms, error_code)
        SELECT key, org_id, attempt + 1, 'failed', 'warn', message, now, 'failed', 0, 'no_handler' FROM finished)
      SELECT key, org_id AS "orgId" FROM finished`,
  );
}
