import type { JobKey, JobStatus, OrgId } from '@jobline/contracts';
import type { Db } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import { FIRST_ID } from '../postgres/page.js';
import { JOB_COLUMNS, type JobRow } from './list-jobs.js';
import type { LogRow } from './logs.js';

/** A line of a job's log and, if there was one, the change of the job's status. */
export interface EventLine extends LogRow {
  /** The status that the job got with this line; null: it kept its status. */
  status: JobStatus | null;
}

/** An event of a job: a line of its log or, without a line, its creation. */
export interface EventRow {
  xid: bigint;
  jobKey: JobKey;
  line: EventLine | null;
  /** The job's current state; null if it was deleted. */
  job: JobRow | null;
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

/** Comes after every other key. */
export const LAST_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * An organization's events after a position, in the order in which their transactions began to write. Within one
 * transaction creations come first, then lines in the order of writing. Only transactions older than every running
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
        NULL AS error_code
       FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND (xid, key) > (${xid}::xid8, ${after.key}::uuid)
         AND xid < pg_snapshot_xmin(pg_current_snapshot())
       ORDER BY xid, key LIMIT ${limit})
      UNION ALL
      (SELECT xid, id, job_key, attempt, kind, level, message, at, status, duration_ms, next_attempt_at, error_code
       FROM job_logs WHERE org_id = ${orgId}::uuid AND (xid, id) > (${xid}::xid8, ${after.id}::bigint)
         AND xid < pg_snapshot_xmin(pg_current_snapshot())
       ORDER BY xid, id LIMIT ${limit})
      ORDER BY xid, id, key LIMIT ${limit}),
    held AS (
      -- In the order of the indexes, so that the planner does not read the tables.
      SELECT (SELECT xid FROM job_logs WHERE org_id = ${orgId}::uuid AND xid >= pg_snapshot_xmin(pg_current_snapshot())
          ORDER BY xid, id LIMIT 1) IS NOT NULL
        OR (SELECT xid FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND xid >= pg_snapshot_xmin(pg_current_snapshot())
          ORDER BY xid LIMIT 1) IS NOT NULL AS held)
    SELECT held AS "isHeldBack", e.xid::text AS xid, e.id AS line, e.key AS "jobKey", e.attempt, e.kind, e.level, e.message,
      e.at, e.status AS "lineStatus", e.duration_ms AS "durationMs", e.next_attempt_at AS "nextAttemptAt",
      e.error_code AS "errorCode", ${JOB_COLUMNS}
    FROM held LEFT JOIN e ON true LEFT JOIN jobs ON jobs.key = e.key
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
): Promise<{ key: JobKey; job: JobRow; logEnd: bigint } | null> {
  const rows = await db.$queryRaw<(JobRow & { key: JobKey; logEnd: bigint })[]>`
    SELECT key, ${JOB_COLUMNS},
      coalesce((SELECT max(l.id) FROM job_logs l WHERE l.job_key = jobs.key), 0)::bigint AS "logEnd"
    FROM jobs WHERE org_id = ${orgId}::uuid AND id = ${id}`;
  if (!rows[0]) return null;
  const { key, logEnd, ...job } = rows[0];
  return { key, job, logEnd };
}

/**
 * The lines of one job after the line `after`. Every writer of a line locks the job's row, so for one job the order of
 * ids is the order of commits, and no line has to be held back.
 */
export async function listJobEvents(
  db: Db,
  orgId: OrgId,
  key: JobKey,
  after: bigint,
  limit: number,
): Promise<LineRow[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT l.xid::text AS xid, l.id AS line, l.job_key AS "jobKey", l.attempt, l.kind, l.level, l.message, l.at,
      l.status AS "lineStatus", l.duration_ms AS "durationMs", l.next_attempt_at AS "nextAttemptAt",
      l.error_code AS "errorCode", ${JOB_COLUMNS}
    FROM jobs JOIN job_logs l ON l.job_key = jobs.key
    WHERE jobs.key = ${key}::uuid AND jobs.org_id = ${orgId}::uuid AND l.id > ${after}::bigint
    ORDER BY l.id LIMIT ${limit}`;
  return rows.map((row) => ({ ...toEvent(row), line: toLine(row) }));
}

interface Row extends Omit<JobRow, 'id'>, Omit<LogRow, 'id'> {
  xid: string;
  /** 0: a creation. */
  line: bigint;
  jobKey: JobKey;
  lineStatus: JobStatus | null;
  /** Null: the job was deleted, and all other columns of the job are null too. */
  id: string | null;
}

function toEvent(row: Row): EventRow {
  const { id, type, status, retries, maxRetries, createdAt, updatedAt, tags } = row;
  return {
    xid: BigInt(row.xid),
    jobKey: row.jobKey,
    line: row.line > 0n ? toLine(row) : null,
    job: id === null ? null : { id, type, status, retries, maxRetries, createdAt, updatedAt, tags },
  };
}

function toLine(row: Row): EventLine {
  const { line, attempt, kind, level, message, at, durationMs, nextAttemptAt, errorCode, lineStatus } = row;
  return { id: line, attempt, kind, level, message, at, durationMs, nextAttemptAt, errorCode, status: lineStatus };
}
