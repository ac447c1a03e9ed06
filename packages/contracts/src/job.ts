import type { JobErrorCode } from './errors.js';
import type { Channel, MessageStatus } from './message.js';
import type { Json, JsonObject } from './primitives.js';

/** Job statuses, the same on the wire and in the database. A job that waits for a retry is `pending`. */
export const JOB_STATUSES = ['pending', 'processing', 'done', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Kinds of entries in a job's log. `log`: a line of the handler. `note`: a remark of the engine. `canceled`: a cancel
 * was requested or, with a duration, the attempt ended because of it.
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

/**
 * How an attempt ended. `released`: its worker released the job. `worker_lost`: its worker died. Neither uses a retry.
 */
export const ATTEMPT_OUTCOMES = ['running', 'succeeded', 'failed', 'released', 'worker_lost', 'canceled'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The outcome of an attempt that an entry of this kind ended. */
export function attemptOutcomeOf(kind: LogKind): AttemptOutcome {
  return ATTEMPT_OUTCOMES.find((outcome) => outcome === kind) ?? 'failed';
}

/** A job in lists. Times are ISO 8601 UTC with milliseconds. */
export interface JobSummaryView {
  id: string;
  type: string;
  status: JobStatus;
  /** How many retries failures have used so far. */
  retries: number;
  max_retries: number;
  created_at: string;
  updated_at: string;
  /** Only for jobs that have tags. */
  tags?: string[];
}

/** A message that a job has sent, or tried to send. */
export interface JobMessageView {
  id: string;
  kind: Channel;
  status: MessageStatus;
  /** Null: it has not failed. */
  error: JobErrorView | null;
}

export interface JobErrorView {
  /** A job error code. */
  code: string;
  message: string;
}

/** A job in a list. */
export interface ListedJobView extends JobSummaryView {
  /** Only for failed jobs. */
  error?: JobErrorView;
  /** As the query includes them. Null, with `truncated`: the page had no space left for them. */
  payload?: JsonObject | null;
  result?: Json;
  truncated?: true;
}

/** How far a job is, as its handler last reported it. */
export interface ProgressView {
  /** 0 to 100. */
  percent: number;
  /** What the handler does; null: it gave no text. */
  text: string | null;
  at: string;
}

/** A job in the events of a stream. */
export interface JobStatusView extends JobSummaryView {
  /** Only while the job runs, if its handler reports progress. */
  progress?: ProgressView;
}

/** One entry of a job's log. `attempt` counts from 1. */
export interface LogEntryView {
  attempt: number;
  message: string;
  level: LogLevel;
  timestamp: string;
}

/** A log entry with its data, so that no caller has to parse the message. */
export interface DetailedLogEntryView extends LogEntryView {
  kind: LogKind;
  /** Duration of the attempt that this entry ends; null: it ends no attempt. */
  duration_ms: number | null;
  /** When the next attempt is due; null: no attempt follows, or it follows immediately. */
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
  /** `stack`: only if a custom handler threw the error, and the caller may see it. */
  error: { code: string; message: string; stack?: string } | null;
  /** Absent: its worker has no WORKER_VERSION. */
  worker?: WorkerView;
}

/** The worker that ran an attempt. */
export interface WorkerView {
  name: string;
  version: string;
}

/** What a pending job waits for: another job, a time, a retry, a limit, a slot, or a worker. */
export type WaitingFor = `job:${string}` | 'run_at' | 'retry' | `limit:${string}` | 'org_limit' | 'queue' | 'worker';

/**
 * When a job for which another one waits has done enough: it is done, it is done or failed, or its payment is recorded as
 * paid.
 */
export const CONDITION_WHEN = ['done', 'ended', 'paid'] as const;
export type ConditionWhen = (typeof CONDITION_WHEN)[number];

/** `failed`: it can no longer be met, unless the job is retried. */
export const CONDITION_STATES = ['waiting', 'met', 'failed'] as const;
export type ConditionState = (typeof CONDITION_STATES)[number];

/** One entry of a job's `after`. */
export interface ConditionView {
  /** The job for which it waits. */
  id: string;
  when: ConditionWhen;
  state: ConditionState;
}

/** What a bulk action does with each of its jobs. */
export const BULK_ACTIONS = ['retry', 'cancel', 'delete', 'rerun'] as const;
export type BulkActionKind = (typeof BULK_ACTIONS)[number];

export const BULK_STATUSES = ['running', 'done', 'stopped'] as const;
type BulkStatus = (typeof BULK_STATUSES)[number];

/** A bulk action, as its endpoints show it. */
export interface BulkActionView {
  id: string;
  action: BulkActionKind;
  /** The filter as it was requested. */
  filter: JsonObject;
  status: BulkStatus;
  total: number;
  done: number;
  skipped: number;
  failed: number;
  /** Present if the ends of its jobs are reported to no webhook. */
  events?: false;
  /** The user who started it; absent: an API key did, or it is not known. */
  created_by?: string;
  /** The API key that started it. */
  api_key?: string;
  created_at: string;
  finished_at: string | null;
}

/** Failed jobs that have their type, their error code and their message in common, but for numbers, ids and addresses. */
export interface FailureGroupView {
  type: string;
  error_code: JobErrorCode;
  message: string;
  count: number;
  first_at: string;
  last_at: string;
  /** How many ended in each part of the time window, the oldest part first. */
  series: number[];
  example_ids: string[];
}

/** Time windows over which jobs are counted. */
export const STATS_WINDOWS = ['1h', '24h', '7d'] as const;
export type StatsWindow = (typeof STATS_WINDOWS)[number];
