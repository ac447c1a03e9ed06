import { Prisma } from '../../generated/client.js';
import { KEPT_COLUMNS } from '../columns.js';

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
