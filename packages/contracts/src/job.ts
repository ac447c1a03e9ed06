/** Where a job is, on the wire and in the database alike. A job that waits for its re-run is `pending`. */
export const JOB_STATUSES = ['pending', 'processing', 'done', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * What an entry of a job's log reports. `log`: a line of the handler. `note`: a remark of the engine. `canceled`: somebody
 * asked to cancel the job or, with a duration, its attempt ended by it.
 */
export const LOG_KINDS = [
  'started',
  'log',
  'succeeded',
  'failed',
  'released',
  'worker_lost',
  'canceled',
  'expired',
  'note',
] as const;
export type LogKind = (typeof LOG_KINDS)[number];

/** How an attempt ended. `released`: its worker gave the job back. `worker_lost`: its worker died. Neither uses a retry. */
export const ATTEMPT_OUTCOMES = ['running', 'succeeded', 'failed', 'released', 'worker_lost', 'canceled'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Summary form, as in lists. Times are ISO 8601 UTC with milliseconds. */
export interface JobSummaryView {
  id: string;
  type: string;
  status: JobStatus;
  /** Re-enqueues caused by failures so far. */
  retries: number;
  max_retries: number;
  created_at: string;
  updated_at: string;
}

/** Detail form: the summary and what was submitted. */
export interface JobView extends JobSummaryView {
  payload: JsonObject;
}

/** The answer to a submission. */
export interface SubmittedView {
  id: string;
  status: JobStatus;
}

/** The answer to a batch of submissions, in their order. */
export interface SubmittedBatchView {
  jobs: SubmittedView[];
}

/** One entry of a job's log. `attempt` counts from 1. */
export interface LogEntryView {
  attempt: number;
  message: string;
  level: LogLevel;
  timestamp: string;
}

/** A log entry with its data: nobody needs to parse the message. */
export interface DetailedLogEntryView extends LogEntryView {
  kind: LogKind;
  /** Duration of the attempt that this entry ends; null: it ends none. */
  duration_ms: number | null;
  /** When the next attempt is due; null: none follows, or it follows at once. */
  next_attempt_at: string | null;
  /** Code of the error with which the attempt failed. */
  error_code: string | null;
}

/** One attempt of a job. `finished_at` and `duration_ms` are null while it runs. */
export interface AttemptView {
  attempt: number;
  started_at: string;
  finished_at: string | null;
  duration_ms: number | null;
  outcome: AttemptOutcome;
  error: { code: string; message: string } | null;
}

/** How a job's latest attempt went. `started_at` is null before the first one begins, `duration_ms` before it ends. */
export interface ResultView {
  status: JobStatus;
  result: Json;
  error: { code: string; message: string } | null;
  /** The time before which the job does not run (again). */
  run_at: string;
  started_at: string | null;
  finished_at: string | null;
  duration_ms: number | null;
}

/** Stretches of time over which jobs are counted. */
export const STATS_WINDOWS = ['1h', '24h', '7d'] as const;
export type StatsWindow = (typeof STATS_WINDOWS)[number];

/** An organization's jobs in figures, all of one moment. */
export interface JobStatsView {
  /** Those that are pending or processing now, and those that became done or failed in the window. */
  by_status: Record<JobStatus, number>;
  /** The same jobs by type; the 50 most frequent types, most first. */
  by_type: Record<string, number>;
  /** The window in equal steps without holes, oldest first. `at` is a step's start; the last one is not over yet. */
  series: { at: string; done: number; failed: number }[];
  /** When the oldest of the pending jobs was accepted. */
  oldest_pending_at: string | null;
}
