import type { JobKey, JobStatus, LogLevel, OrgId } from '@jobline/contracts';
import type { Db } from './client.js';

/** A line of a job's log and, with it, perhaps a change of the job's status. */
export interface EventRow {
  xid: bigint;
  id: bigint;
  jobKey: JobKey;
  attempt: number;
  level: LogLevel;
  message: string;
  at: Date;
  /** The status that the job got with this line; null if it kept its own. */
  status: JobStatus | null;
}

/** A place in the stream of events. Made from an event, or by `eventsNow`. */
export interface EventCursor {
  xid: bigint;
  id: bigint;
}

/**
 * An organization's events after a place, in the order in which their transactions began to write, those of one
 * transaction in the order of writing. Only transactions older than every one that still writes are shown: ids and
 * commits come in different orders, and whoever reads on from the last event must not have passed one that was not
 * visible yet. So a reader may see an event late, but never skips one.
 */
export async function listEvents(db: Db, orgId: OrgId, after: EventCursor, limit: number): Promise<EventRow[]> {
  const rows = await db.$queryRaw<(Omit<EventRow, 'xid'> & { xid: string })[]>`
    SELECT xid::text AS xid, id, job_key AS "jobKey", attempt, level, message, at, status FROM job_logs
    WHERE org_id = ${orgId}::uuid AND (xid, id) > (${after.xid.toString()}::xid8, ${after.id}::bigint)
      AND xid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY xid, id LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, xid: BigInt(row.xid) }));
}

/** The place of now: everything before it has been written, or is being written and will be shown after it. */
export async function eventsNow(db: Db): Promise<EventCursor> {
  const rows = await db.$queryRaw<{ xid: string }[]>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid`;
  return { xid: BigInt(rows[0]?.xid ?? 0), id: 0n };
}
