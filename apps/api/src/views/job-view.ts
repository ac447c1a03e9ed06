import type { JobSummaryView, JobView, LogEntryView, ResultView } from '@jobline/contracts';
import type { JobDetailRow, JobRow, LogRow, ResultRow } from '@jobline/db';

export function toJobSummaryView(job: JobRow): JobSummaryView {
  return {
    id: job.id,
    type: job.type,
    status: job.status,
    retries: job.retries,
    max_retries: job.maxRetries,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
  };
}

export function toJobView(job: JobDetailRow): JobView {
  return { ...toJobSummaryView(job), payload: job.payload };
}

export function toLogEntryView(entry: LogRow): LogEntryView {
  return {
    attempt: entry.attempt,
    message: entry.message,
    level: entry.level,
    timestamp: entry.at.toISOString(),
  };
}

export function toResultView(row: ResultRow): ResultView {
  return {
    status: row.status,
    result: row.result,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
    run_at: row.runAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    duration_ms: row.durationMs,
  };
}
