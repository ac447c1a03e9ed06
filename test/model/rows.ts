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
  /** Whether an attempt started after the job was canceled. */
  hasStartedSince: boolean;
  /** Whether the row contradicts itself, which no row may. */
  isOdd: boolean;
}

export interface LineRow {
  key: JobKey;
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
    SELECT job_key AS key, org_id AS "orgId", attempt, kind::text AS kind, message, status::text AS status,
      duration_ms AS "durationMs"
    FROM job_logs ORDER BY job_key, id`;
  const byJob = new Map<JobKey, LineRow[]>();
  for (const row of rows) {
    const lines = byJob.get(row.key);
    if (lines) lines.push(row);
    else byJob.set(row.key, [row]);
  }
  return byJob;
}
