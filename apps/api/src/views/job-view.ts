import {
  JOB_ERROR_CODES,
  JOB_STATUSES,
  type JobSummaryView,
  type JobView,
  LOG_LEVELS,
  type LogEntryView,
  NAME_PATTERN,
  type ResultView,
  type SubmittedBatchView,
  type SubmittedView,
} from '@jobline/contracts';
import type { JobDetailRow, JobRow, LogRow, ResultRow } from '@jobline/db';
import Joi from 'joi';
import { count, text, timestamp, view } from './view.js';

const id = Joi.string().pattern(NAME_PATTERN);
const status = Joi.valid(...JOB_STATUSES);

const summary = {
  id,
  type: Joi.string().pattern(NAME_PATTERN),
  status,
  retries: count().description('Retries after failures so far.'),
  max_retries: count(),
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const submittedView = view<SubmittedView>('SubmittedJob', { id, status });

export const submittedBatchView = view<SubmittedBatchView>('SubmittedJobs', {
  jobs: Joi.array().items(submittedView).description('In the order of the request.'),
});

export const jobSummaryView = view<JobSummaryView>('JobSummary', summary);

export const jobView = view<JobView>('Job', { ...summary, payload: Joi.object() });

export const logEntryView = view<LogEntryView>('LogEntry', {
  attempt: Joi.number().integer().min(1),
  message: text(),
  level: Joi.valid(...LOG_LEVELS),
  timestamp: timestamp(),
});

export const resultView = view<ResultView>('JobResult', {
  status,
  result: Joi.any().description("The return value of the type's handler; null until the job is done."),
  error: view('JobError', {
    code: Joi.string().meta({ jsonSchema: { examples: Object.keys(JOB_ERROR_CODES) } }),
    message: text(),
  }).allow(null),
  run_at: timestamp().description('The job does not run (again) before this time.'),
  started_at: timestamp().allow(null).description('The start of the latest attempt.'),
  finished_at: timestamp().allow(null),
  duration_ms: count().allow(null).description('The duration of the latest attempt.'),
});

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
