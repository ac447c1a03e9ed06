import type { JobKey, JobStatus, Json, LogKind } from '@jobline/contracts';
import type { DbSession } from '@jobline/db';
import type { ModelWorld } from './world.js';

export interface JobRow {
  key: JobKey;
  orgId: string;
  id: string;
  status: JobStatus;
  attempt: number;
  retries: number;
  maxRetries: number;
  payload: Json;
  result: { attempt: number } | null;
  errorCode: string | null;
  errorMessage: string | null;
  isCanceled: boolean;
  isRedacted: boolean;
  /** Whether an attempt started after the job was canceled. */
  hasStartedSince: boolean;
  /** Whether the row contradicts itself, which no row may. */
  isOdd: boolean;
}

export interface LineRow {
  key: JobKey;
  /** Lines that are written later have higher ones. */
  id: number;
  orgId: string;
  attempt: number;
  kind: LogKind;
  message: string | null;
  status: JobStatus | null;
  durationMs: number | null;
}

export function readRows(db: DbSession): Promise<JobRow[]> {
  return db.$queryRaw<JobRow[]>`
    SELECT key, org_id AS "orgId", id, status::text AS status, attempt, retries, max_retries AS "maxRetries", payload, result,
      error_code AS "errorCode", error_message AS "errorMessage", cancel_requested_at IS NOT NULL AS "isCanceled",
      redacted_at IS NOT NULL AS "isRedacted",
      coalesce(started_at > cancel_requested_at, false) AS "hasStartedSince",
      (status = 'processing') <> (worker_id IS NOT NULL) OR status IS NULL
        OR (status IN ('done', 'failed')) <> (finished_at IS NOT NULL) OR (place IS NOT NULL) = (finished_at IS NOT NULL)
        OR (status = 'processing' AND claim_token IS NULL) OR (status = 'done') <> (result IS NOT NULL)
        OR (status = 'failed' AND error_code IS NULL) OR (status = 'done' AND error_code IS NOT NULL)
        OR retries > max_retries AS "isOdd"
    FROM jobs ORDER BY key`;
}

/** Reads the log lines of all jobs, in the order in which they were written. */
export async function readLines({ database }: ModelWorld): Promise<ReadonlyMap<JobKey, LineRow[]>> {
  const rows = await database.hot.query<LineRow>`
    SELECT job_key AS key, id::int AS id, org_id AS "orgId", attempt, kind::text AS kind, message, status::text AS status,
      duration_ms AS "durationMs"
    FROM job_logs ORDER BY job_key, id`;
  return byJob(rows);
}

/** One entry of the `after` of a job. */
export interface ConditionRow {
  /** The job that waits. */
  key: JobKey;
  /** The job for which it waits. */
  afterKey: JobKey;
  until: 'done' | 'ended';
  state: 'waiting' | 'met' | 'failed';
}

/** Reads the conditions of all jobs, by the job that waits. */
export async function readConditions({ database }: ModelWorld): Promise<ReadonlyMap<JobKey, ConditionRow[]>> {
  const rows = await database.db.$queryRaw<ConditionRow[]>`
    SELECT job_key AS key, after_key AS "afterKey", until::text AS until, state::text AS state FROM job_conditions`;
  return byJob(rows);
}

function byJob<Row extends { key: JobKey }>(rows: readonly Row[]): ReadonlyMap<JobKey, Row[]> {
  const grouped = new Map<JobKey, Row[]>();
  for (const row of rows) {
    const others = grouped.get(row.key);
    if (others) others.push(row);
    else grouped.set(row.key, [row]);
  }
  return grouped;
}
