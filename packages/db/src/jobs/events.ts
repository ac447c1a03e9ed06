import type { JobKey, JobStatus, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Db } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import { FIRST_ID } from '../postgres/page.js';
import { JOB_COLUMNS, type JobRow } from './list-jobs.js';
import type { LogRow } from './logs.js';
import { LATEST_PROGRESS, PROGRESS_COLUMNS, type Progress, type ProgressColumns, toProgress } from './progress.js';

/** A line of a job's log and, if there was one, the change of the job's status. */
export interface EventLine extends LogRow {
  /** The status that the job got with this line; null: it kept its status. */
  status: JobStatus | null;
}

/** A job in an event, and how far its running attempt is. */
export interface EventJob extends JobRow {
  attempt: number;
  /** Null unless the job runs. */
  progress: Progress | null;
}

/** An event of a job: a line of its log or, without a line, its progress or its creation. */
export interface EventRow {
  xid: bigint;
  jobKey: JobKey;
  line: EventLine | null;
  isProgress: boolean;
  /** The job's current state; null if it was deleted. */
  job: EventJob | null;
}

/**
 * A position in an organization's stream of events: after the creations up to `key` and the lines up to `id` that the
 * transaction `xid` wrote, and after everything that older transactions wrote.
 */
export interface EventPosition {
  xid: bigint;
  key: string;
  id: bigint;
}

/** An event that has a line of the log. */
export interface LineRow extends EventRow {
  line: EventLine;
}

export interface EventPage {
  events: EventRow[];
  /** Whether there are events that may not be shown yet: read again soon. */
  isHeldBack: boolean;
}

/** SQL: the columns of an EventJob, of the view `jobs` with RUNNING_PROGRESS. */
const EVENT_JOB_COLUMNS = Prisma.sql`${JOB_COLUMNS}, jobs.attempt AS "latestAttempt", ${PROGRESS_COLUMNS}`;

/** SQL: streams show progress only while it changes, so they need not look for redacted keys. */
const RUNNING_PROGRESS = Prisma.sql`${LATEST_PROGRESS} AND jobs.status = 'processing'`;

/** Comes after every other key. */
export const LAST_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * An organization's events after a position, in the order in which their transactions began to write. Within one
 * transaction creations come first, then lines in the order of writing. Only the latest progress of a job is an event. Only transactions older than every running
 * writer are shown: ids and commits come in different orders, and a reader that continues after the last event must not
 * have passed one that was not visible yet. So a reader may see an event late, but never skips one.
 */
export async function listEvents(db: Db, orgId: OrgId, after: EventPosition, limit: number): Promise<EventPage> {
  const xid = after.xid.toString();
  // One statement has one snapshot: creations and lines are held back by the same rule.
  const rows = await db.$queryRaw<(Partial<Row> & { isHeldBack: boolean })[]>`
    WITH e AS (
      (SELECT xid, 0::bigint AS id, key, NULL::int AS attempt, NULL::log_kind AS kind, NULL::log_level AS level, NULL AS message,
        NULL::timestamptz AS at, NULL::job_status AS status, NULL::int AS duration_ms, NULL::timestamptz AS next_attempt_at,
        NULL AS error_code, false AS is_progress
       FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND (xid, key) > (${xid}::xid8, ${after.key}::uuid)
         AND xid < pg_snapshot_xmin(pg_current_snapshot())
       ORDER BY xid, key LIMIT ${limit})
      UNION ALL
      (SELECT xid, 0, job_key, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true
       FROM job_progress WHERE org_id = ${orgId}::uuid AND (xid, job_key) > (${xid}::xid8, ${after.key}::uuid)
         AND xid < pg_snapshot_xmin(pg_current_snapshot())
       ORDER BY xid, job_key LIMIT ${limit})
      UNION ALL
      (SELECT xid, id, job_key, attempt, kind, level, message, at, status, duration_ms, next_attempt_at, error_code, false
       FROM job_logs WHERE org_id = ${orgId}::uuid AND (xid, id) > (${xid}::xid8, ${after.id}::bigint)
         AND xid < pg_snapshot_xmin(pg_current_snapshot())
       ORDER BY xid, id LIMIT ${limit})
      ORDER BY xid, id, key LIMIT ${limit}),
    held AS (
      -- In the order of the indexes, so that the planner does not read the tables.
      SELECT (SELECT xid FROM job_logs WHERE org_id = ${orgId}::uuid AND xid >= pg_snapshot_xmin(pg_current_snapshot())
          ORDER BY xid, id LIMIT 1) IS NOT NULL
        OR (SELECT xid FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND xid >= pg_snapshot_xmin(pg_current_snapshot())
          ORDER BY xid LIMIT 1) IS NOT NULL
        OR (SELECT xid FROM job_progress WHERE org_id = ${orgId}::uuid AND xid >= pg_snapshot_xmin(pg_current_snapshot())
          ORDER BY xid, job_key LIMIT 1) IS NOT NULL AS held)
    SELECT held AS "isHeldBack", e.xid::text AS xid, e.id AS line, e.key AS "jobKey", e.attempt, e.kind, e.level, e.message,
      e.at, e.status AS "lineStatus", e.duration_ms AS "durationMs", e.next_attempt_at AS "nextAttemptAt",
      e.error_code AS "errorCode", e.is_progress AS "isProgress", ${EVENT_JOB_COLUMNS}
    FROM held LEFT JOIN e ON true LEFT JOIN jobs ON jobs.key = e.key ${RUNNING_PROGRESS}
    ORDER BY e.xid, e.id, e.key`;
  return {
    // Without events, the query returns one row with `held` alone. The cast: every other row is a complete event.
    events: rows.filter((row) => row.xid != null).map((row) => toEvent(row as Row)),
    isHeldBack: rows[0]?.isHeldBack ?? false,
  };
}

/**
 * The current position: everything before it has been written, or is being written and will be shown after it. No event
 * has reached `nextXid` yet.
 */
export async function eventsNow(db: Db): Promise<EventPosition & { nextXid: bigint }> {
  const rows = await db.$queryRaw<{ xmin: string; xmax: string }[]>`
    SELECT pg_snapshot_xmin(s)::text AS xmin, pg_snapshot_xmax(s)::text AS xmax FROM pg_current_snapshot() AS s`;
  return { xid: BigInt(rows[0]?.xmin ?? 0), key: FIRST_ID, id: 0n, nextXid: BigInt(rows[0]?.xmax ?? 0) };
}

/**
 * The oldest transaction that still writes anywhere in this Postgres, including other databases and prepared
 * transactions, and the transaction that begins next. They are equal if none writes. `listEvents` shows nothing from
 * `oldest` on.
 */
export async function readWriters(hot: HotDb): Promise<{ oldest: string; next: string }> {
  const [row] = await hot.query<{ oldest: string; next: string }>`
    SELECT pg_snapshot_xmin(s)::text AS oldest, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() AS s`;
  if (!row) throw new Error('Postgres did not return the open transactions');
  return row;
}

/** An organization's job and the end of its log at the same moment (0: the log is empty), or null. */
export async function findJobAndLogEnd(
  db: Db,
  orgId: OrgId,
  id: string,
): Promise<{ key: JobKey; job: EventJob; logEnd: bigint } | null> {
  const rows = await db.$queryRaw<(JobStateRow & { key: JobKey; logEnd: bigint })[]>`
    SELECT key, ${EVENT_JOB_COLUMNS},
      coalesce((SELECT max(l.id) FROM job_logs l WHERE l.job_key = jobs.key), 0)::bigint AS "logEnd"
    FROM jobs ${RUNNING_PROGRESS} WHERE jobs.org_id = ${orgId}::uuid AND id = ${id}`;
  return rows[0] ? { key: rows[0].key, job: toEventJob(rows[0]), logEnd: rows[0].logEnd } : null;
}

/**
 * The lines of one job after the line `after`, and the job as it is then; null: it was deleted. Every writer of a line locks the job's row, so for one job the order of
 * ids is the order of commits, and no line has to be held back.
 */
export async function listJobEvents(
  db: Db,
  orgId: OrgId,
  key: JobKey,
  after: bigint,
  limit: number,
): Promise<{ lines: LineRow[]; job: EventJob | null }> {
  const rows = await db.$queryRaw<(Omit<Row, 'line' | 'id'> & { line: bigint | null; id: string })[]>`
    SELECT l.xid::text AS xid, l.id AS line, l.job_key AS "jobKey", l.attempt, l.kind, l.level, l.message, l.at,
      l.status AS "lineStatus", l.duration_ms AS "durationMs", l.next_attempt_at AS "nextAttemptAt",
      l.error_code AS "errorCode", false AS "isProgress", ${EVENT_JOB_COLUMNS}
    FROM jobs ${RUNNING_PROGRESS} LEFT JOIN LATERAL (
      SELECT * FROM job_logs WHERE job_key = jobs.key AND id > ${after}::bigint ORDER BY id LIMIT ${limit}) AS l ON true
    WHERE jobs.key = ${key}::uuid AND jobs.org_id = ${orgId}::uuid
    ORDER BY l.id`;
  const lines = rows.flatMap(({ line, ...row }) => {
    if (line === null) return [];
    const whole = { ...row, line };
    return [{ ...toEvent(whole), line: toLine(whole) }];
  });
  return { lines, job: rows[0] ? toEventJob(rows[0]) : null };
}

/** Its `attempt` is that of the job; a row that also has a line has both. */
interface JobStateRow extends JobRow, ProgressColumns {
  latestAttempt: number;
}

interface Row extends Omit<JobStateRow, 'id'>, Omit<LogRow, 'id'> {
  xid: string;
  isProgress: boolean;
  /** 0: a creation. */
  line: bigint;
  jobKey: JobKey;
  lineStatus: JobStatus | null;
  /** Null: the job was deleted, and all other columns of the job are null too. */
  id: string | null;
}

function toEvent(row: Row): EventRow {
  const { id } = row;
  return {
    xid: BigInt(row.xid),
    jobKey: row.jobKey,
    line: row.line > 0n ? toLine(row) : null,
    isProgress: row.isProgress,
    job: id === null ? null : toEventJob({ ...row, id }),
  };
}

function toEventJob({ latestAttempt: attempt, ...row }: JobStateRow): EventJob {
  const { id, type, status, retries, maxRetries, createdAt, updatedAt, tags } = row;
  const progress = toProgress(row);
  return { id, type, status, retries, maxRetries, createdAt, updatedAt, tags, attempt, progress };
}

function toLine(row: Row): EventLine {
  const { line, attempt, kind, level, message, at, durationMs, nextAttemptAt, errorCode, lineStatus } = row;
  return { id: line, attempt, kind, level, message, at, durationMs, nextAttemptAt, errorCode, status: lineStatus };
}
