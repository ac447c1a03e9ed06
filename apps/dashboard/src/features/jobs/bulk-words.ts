import type { Schemas } from '@jobline/client';
import type { BulkActionKind } from '@jobline/contracts';
import { formatCount, formatExact, wordsOf } from '../../format/index.js';
import { rangeText } from '../../product/created-filter.js';
import { meaningOf } from '../../product/status.js';
import { type Filters, filtersOf, type JobStatus, jobsSearch } from './model.js';

export type BulkAction = Schemas['BulkAction'];

interface Words {
  name: string;
  /** Sentences about a number of jobs, such as `12 jobs`. */
  ask: (jobs: string) => string;
  running: (jobs: string) => string;
  finished: (jobs: string) => string;
  effect: string;
  skips: string;
}

export const BULK_WORDS: Record<BulkActionKind, Words> = {
  retry: {
    name: 'Retry',
    ask: (jobs) => `Retry ${jobs}`,
    running: (jobs) => `Retrying ${jobs}`,
    finished: (jobs) => `Retried ${jobs}`,
    effect: 'Each job runs again with all its retries.',
    skips: 'Only failed jobs are retried. Other jobs, and jobs that have expired, are skipped.',
  },
  cancel: {
    name: 'Cancel',
    ask: (jobs) => `Cancel ${jobs}`,
    running: (jobs) => `Canceling ${jobs}`,
    finished: (jobs) => `Canceled ${jobs}`,
    effect: 'Waiting jobs will not run. Running jobs are asked to stop and may still finish as done.',
    skips: 'Jobs that have finished are skipped.',
  },
  rerun: {
    name: 'Run again',
    ask: (jobs) => `Run ${jobs} again`,
    running: (jobs) => `Submitting ${jobs} again`,
    finished: (jobs) => `Submitted ${jobs} again`,
    effect: 'Each job is submitted again as a new job with the same payload.',
    skips: 'Jobs that have not finished are skipped.',
  },
  delete: {
    name: 'Delete',
    ask: (jobs) => `Delete ${jobs}`,
    running: (jobs) => `Deleting ${jobs}`,
    finished: (jobs) => `Deleted ${jobs}`,
    effect:
      'Their payloads, results, logs and files are deleted, and the text of their messages. They cannot be restored.',
    skips: 'Jobs that have not finished are skipped.',
  },
};

const ACTIONS: Record<JobStatus, readonly BulkActionKind[]> = {
  pending: ['cancel'],
  processing: ['cancel'],
  done: ['rerun', 'delete'],
  failed: ['retry', 'rerun', 'delete'],
};

/** The actions that may change a job that matches the filters. Only failed jobs have an error code. */
export function actionsFor({ status, error_code }: Filters): readonly BulkActionKind[] {
  if (error_code) return ACTIONS.failed;
  return status ? ACTIONS[status] : ['retry', 'cancel', 'rerun', 'delete'];
}

/** `12,431 jobs match.` */
export function countSentence({ matches, more }: Schemas['BulkCount']): string {
  if (matches === 0) return 'No jobs match.';
  if (more) return `${formatExact(matches)} or more jobs match.`;
  return `${exactJobs(matches)} ${matches === 1 ? 'matches' : 'match'}.`;
}

/** The label of the button that starts the action: `Retry all 12,431 jobs`. */
export function startLabel(action: BulkActionKind, count: Schemas['BulkCount'] | undefined): string {
  const { ask } = BULK_WORDS[action];
  if (!count || count.more || count.matches === 0) return ask('all jobs');
  return ask(count.matches === 1 ? '1 job' : `all ${exactJobs(count.matches)}`);
}

export function processedOf({ done, skipped, failed }: BulkAction): number {
  return done + skipped + failed;
}

/** `Retrying 12,431 jobs`, or `Retried 12,300 of 12,431 jobs, 131 skipped.` */
export function bulkSentence(bulk: BulkAction): string {
  const { action, status, total, done } = bulk;
  const words = BULK_WORDS[action];
  if (status === 'running') return words.running(exactJobs(total));
  const result = [words.finished(`${formatExact(done)} of ${exactJobs(total)}`), ...exceptionsOf(bulk)].join(', ');
  return status === 'stopped' ? `${result}. The action was stopped.` : `${result}.`;
}

/** `3,000 of 12,431 jobs, 10 skipped` */
export function progressText(bulk: BulkAction): string {
  return [`${formatExact(processedOf(bulk))} of ${exactJobs(bulk.total)}`, ...exceptionsOf(bulk)].join(', ');
}

function exceptionsOf({ skipped, failed }: BulkAction): string[] {
  return [
    ...(skipped > 0 ? [`${formatExact(skipped)} skipped`] : []),
    ...(failed > 0 ? [`${formatExact(failed)} with an error`] : []),
  ];
}

function exactJobs(count: number): string {
  return `${formatExact(count)} ${count === 1 ? 'job' : 'jobs'}`;
}

/** The jobs that match: `failed send_sms jobs with the tag night in this period`. */
export function jobsWords(filters: Filters): string {
  const { status, type, error_code, created_after, created_before, key, schedule, after, about } = filters;
  const tags = wordsOf(filters.tag);
  return [
    status && meaningOf('job', status).word.toLowerCase(),
    type,
    'jobs',
    about && `about ${about}`,
    schedule && 'of this schedule',
    after && `that start after ${after}`,
    error_code && `with the error code ${error_code}`,
    tags.length > 0 && `with the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`,
    key && `with the key ${key}`,
    (created_after ?? created_before) && 'in this period',
  ]
    .filter(Boolean)
    .join(' ');
}

/** After the end of an action, what may name a person is a hash in its filter. */
const isHashed = (value: unknown) => typeof value === 'string' && value.startsWith('hash:');

/** The filters of a list with the jobs that match the filter of an action now. Null: no list can filter by it. */
export function filtersOfBulk({ filter }: BulkAction): Filters | null {
  const { tag, key, ids, message: _message, ...others }: Readonly<Record<string, unknown>> = filter;
  if (ids !== undefined || isHashed(key)) return null;
  const filters = filtersOf(jobsSearch({ ...others, key, tag: [tag ?? []].flat().join(',') }));
  return Object.keys(filters).length === 0 ? null : filters;
}

/** What an action was asked for: `Retry failed send_sms jobs, created since 21 Nov, 14:02`. */
export function bulkWords({ action, filter }: BulkAction): string {
  const { tag, key, ids, message, ...others }: Readonly<Record<string, unknown>> = filter;
  const search = { ...others, ...(!isHashed(key) && { key }), tag: [tag ?? []].flat().join(',') };
  const { created_after, created_before, ...named } = filtersOf(jobsSearch(search));
  const ended = filtersOf(jobsSearch({ created_after: others.ended_after, created_before: others.ended_before }));
  return [
    BULK_WORDS[action].ask(Array.isArray(ids) ? formatCount(ids.length, 'chosen job') : jobsWords(named)),
    isHashed(key) && 'with one key',
    message !== undefined && (isHashed(message) ? 'with one message' : `with the message “${message}”`),
    (created_after ?? created_before) && `created ${rangeText({ created_after, created_before })}`,
    (ended.created_after ?? ended.created_before) && `ended ${rangeText(ended)}`,
  ]
    .filter(Boolean)
    .join(', ');
}
