import {
  CONDITION_STATES,
  CONDITION_WHEN,
  type ConditionView,
  type DetailedLogEntryView,
  EMAIL_STATUSES,
  JOB_ERROR_CODES,
  JOB_STATUSES,
  type JobErrorView,
  type JobMessageView,
  type JobStatusView,
  type JobSummaryView,
  type JsonObject,
  LIMIT_NAME_PATTERN,
  type ListedJobView,
  LOG_KINDS,
  LOG_LEVELS,
  type LogEntryView,
  NAME_PATTERN,
  type ProgressView,
  TAG_PATTERN,
  type WaitingFor,
} from '@jobline/contracts';
import type { Contents, JobContent, JobDetailRow, JobRow, ListedJob, LogRow, Progress } from '@jobline/db';
import { jobLogMessage } from '@jobline/engine';
import Joi from 'joi';
import { uuid } from '../../http/fields.js';
import { count, mapTo, text, timestamp, view } from '../../http/view.js';

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
  tags: Joi.array()
    .items(Joi.string().pattern(TAG_PATTERN))
    .min(1)
    .description('Only for jobs that have tags.')
    .optional(),
};

export const jobError = view<JobErrorView>('JobError', {
  code: Joi.string().meta({ jsonSchema: { examples: Object.keys(JOB_ERROR_CODES) } }),
  message: text(),
});

/** A job in a list. `error`: for failed jobs. */
export const listedJobView = view<ListedJobView>('JobSummary', {
  ...summary,
  error: jobError.optional(),
  duration_ms: count()
    .description('Only with `detail`, for finished jobs that have started: how long the latest attempt took.')
    .optional(),
  about: Joi.string()
    .description('Only with `detail`, for jobs of built-in types: the first recipient, or the phone, channel or host.')
    .optional(),
  payload: Joi.object().allow(null).description('Only with `include`. Null: it is truncated.').optional(),
  result: Joi.any().description('Only with `include`: null until the job is done.').optional(),
  truncated: Joi.valid(true)
    .description('Only with `include`: the page has 1 MiB of payloads and results before what is null here.')
    .optional(),
});

/** A job with its payload. */
export interface JobView extends JobSummaryView {
  payload: JsonObject;
  key?: string;
  limit?: string;
  expires_at?: string;
  rerun_of?: string;
  callback_url?: string;
  schedule_id?: string;
  planned_at?: string;
  after?: ConditionView[];
  waiting_for?: WaitingFor | null;
  progress?: ProgressView;
  messages?: JobMessageView[];
}

const progressView = view<ProgressView>('Progress', {
  percent: Joi.number().min(0).max(100),
  text: text().allow(null).description('What the handler does; null: it gave no text.'),
  at: timestamp(),
});

const messageView = view<JobMessageView>('JobMessage', {
  id: uuid(),
  kind: Joi.valid('email', 'sms', 'chat'),
  status: Joi.valid(...EMAIL_STATUSES),
  error: jobError.allow(null),
});

const conditionView = view<ConditionView>('Condition', {
  id: id.description('The job for which this one waits.'),
  when: Joi.valid(...CONDITION_WHEN),
  state: Joi.valid(...CONDITION_STATES).description('`failed`: it can no longer be met, unless that job is retried.'),
});

export const jobView = view<JobView>('Job', {
  ...summary,
  payload: Joi.object(),
  key: Joi.string().description('Only for jobs that were submitted with a `key`.').optional(),
  limit: Joi.string()
    .pattern(LIMIT_NAME_PATTERN)
    .description('Only for jobs that were submitted with a `limit`.')
    .optional(),
  expires_at: timestamp().description('Only for jobs that expire: no attempt starts at or after this time.').optional(),
  rerun_of: id.description('Only for reruns: the job of which this one is a rerun.').optional(),
  callback_url: Joi.string().description('Only for jobs that were submitted with a `callback_url`.').optional(),
  schedule_id: uuid().description('Only for jobs of schedules. The schedule may be deleted.').optional(),
  planned_at: timestamp().description('Only for planned jobs of schedules: the planned time.').optional(),
  progress: progressView
    .description(
      'Only if the handler has reported how far the latest attempt is, and the job does not wait for another attempt.',
    )
    .optional(),
  after: Joi.array()
    .items(conditionView)
    .description('Only for jobs that were submitted with `after`, and for reruns that refer to results.')
    .optional(),
  messages: Joi.array()
    .items(messageView)
    .description('Only for jobs that have sent messages, or tried to: one for each recipient.')
    .optional(),
  waiting_for: Joi.string()
    .pattern(/^(job:[A-Za-z0-9._:-]{1,128}|run_at|retry|limit:[A-Za-z0-9._:-]{1,64}|org_limit|queue|worker)$/)
    .allow(null)
    .description(
      'Only while the job is pending: what it waits for; null: it is about to start. `job:<id>`: another job. `queue`: a free slot. `worker`: a live worker ' +
        'that has the handler for its type and takes its queue; a worker that stops counts as none.',
    )
    .optional(),
});

export const toJobSummaryView = mapTo(Joi.object<JobSummaryView>(summary));
const toProgressView = mapTo(progressView);
const toView = mapTo(jobView);

export function toListedJobView({ errorCode: code, errorMessage, ...job }: ListedJob): ListedJobView {
  const hasError = job.status === 'failed' && code !== null;
  return { ...toJobSummaryView(job), ...(hasError && { error: { code, message: errorMessage ?? '' } }) };
}

/** With `about` and `duration_ms`. */
export function toDetailedJobView(job: ListedJob): ListedJobView {
  const { durationMs, about } = job;
  return {
    ...toListedJobView(job),
    ...(durationMs !== null && { duration_ms: durationMs }),
    ...(about !== null && { about }),
  };
}

/** `content`: undefined if the page had no space left for this job, or if it was deleted meanwhile. */
export function toIncluded(wanted: Contents, content: JobContent | undefined): Partial<ListedJobView> {
  const isTruncated =
    (wanted.payload && content?.payload === undefined) || (wanted.result && content?.result === undefined);
  return {
    ...(wanted.payload && { payload: content?.payload ?? null }),
    ...(wanted.result && { result: content?.result ?? null }),
    ...(isTruncated && { truncated: true }),
  };
}

/** A job in the events of a stream. */
export function toJobStatusView(job: JobRow, progress: Progress | null): JobStatusView {
  return { ...toJobSummaryView(job), ...(progress && { progress: toProgressView(progress) }) };
}

/** `waitingFor`: undefined unless the job is pending. */
export function toJobView(job: JobDetailRow, waitingFor: WaitingFor | null | undefined): JobView {
  const progress = job.progress && toProgressView(job.progress);
  return toView({ ...job, key: job.limitKey, limit: job.limitName, progress, waitingFor });
}

export const logEntryView = view<Partial<DetailedLogEntryView>>('LogEntry', {
  attempt: Joi.number().integer().min(1),
  message: text(),
  level: Joi.valid(...LOG_LEVELS),
  timestamp: timestamp(),
  kind: Joi.valid(...LOG_KINDS)
    .description('What the entry reports. In events and with `detail=full`, like the fields below.')
    .optional(),
  duration_ms: count()
    .allow(null)
    .description('Duration of the attempt that this entry ends; null: it ends none.')
    .optional(),
  next_attempt_at: timestamp()
    .allow(null)
    .description('When the next attempt is due; null: none, or at once.')
    .optional(),
  error_code: Joi.string().allow(null).description('Code of the error with which the attempt failed.').optional(),
});

export function toLogEntryView(entry: LogRow): LogEntryView {
  return {
    attempt: entry.attempt,
    message: jobLogMessage(entry),
    level: entry.level,
    timestamp: entry.at.toISOString(),
  };
}

export function toDetailedLogEntryView(entry: LogRow): DetailedLogEntryView {
  return {
    ...toLogEntryView(entry),
    kind: entry.kind,
    duration_ms: entry.durationMs,
    next_attempt_at: entry.nextAttemptAt?.toISOString() ?? null,
    error_code: entry.errorCode,
  };
}
