import type { Schemas } from '@jobline/client';
import {
  ABOUT_LENGTH,
  JOB_ERROR_CODES,
  JOB_STATUSES,
  type JobErrorCode,
  LIMITS,
  NAME_PATTERN,
  STATS_WINDOWS,
  type StatsWindow,
  TAG_PATTERN,
} from '@jobline/contracts';
import { wordsOf } from '../../format/index.js';
import { type Change, flag, given, instant, oneOf, search, text, textWith } from '../../search-params.js';

export const ERROR_CODES = Object.keys(JOB_ERROR_CODES) as JobErrorCode[]; // its keys

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The filters of the list: the search parameters that the API also supports. */
const FILTERS = {
  status: oneOf(JOB_STATUSES),
  type: textWith((type) => NAME_PATTERN.test(type)),
  error_code: oneOf(ERROR_CODES),
  created_after: instant(),
  created_before: instant(),
  /** Tags, separated by commas. A job must have all of them. */
  tag: textWith(areTags),
  key: text(200),
  /** The recipient, phone, channel or host. */
  about: text(ABOUT_LENGTH),
  /** The id of a schedule. */
  schedule: textWith((id) => UUID.test(id)),
  /** The id of a job for which the jobs wait. */
  after: textWith((id) => NAME_PATTERN.test(id)),
};

export const jobsSearch = search({
  ...FILTERS,
  window: oneOf(STATS_WINDOWS),
  new: flag(),
  /** Absent: the list of jobs. */
  view: oneOf(['failures', 'bulk']),
  /** The id of a bulk action, whose progress is shown. */
  bulk: textWith((id) => UUID.test(id)),
});

/** The filters among search parameters. */
export const filterSearch = search(FILTERS);

/** The change that a text makes; undefined: it is not valid. An empty text removes the filter. */
export function typedFilter(name: TextFilterName, typed: string): FilterChange | undefined {
  if (typed === '') return { [name]: undefined };
  const filter = filterSearch({ [name]: name === 'tag' ? wordsOf(typed).join(',') : typed });
  return filter[name] === undefined ? undefined : filter;
}

export type Job = Schemas['JobSummary'];
export type JobStatus = Job['status'];
export type JobsSearch = ReturnType<typeof jobsSearch>;
export type Filters = ReturnType<typeof filterSearch>;
export type TextFilterName = 'type' | 'tag' | 'error_code' | 'key' | 'about';
export type FilterChange = Change<Filters>;

// The cast: the keys are those of FILTERS.
export const NO_FILTERS = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, undefined])) as {
  [K in keyof Filters]-?: undefined;
};

/** Returns the filters that are set, with times in the format of the API. */
export function filtersOf(params: JobsSearch): Filters {
  const filters = filterSearch(params);
  const { created_after, created_before } = filters;
  return {
    ...filters,
    ...(created_after && { created_after: new Date(created_after).toISOString() }),
    ...(created_before && { created_before: new Date(created_before).toISOString() }),
  };
}

/** The filters as query parameters of the API. */
export function queryOf({ tag, ...same }: Filters) {
  return { ...same, ...(tag && { tag: wordsOf(tag) }) };
}

export function countOf({ created_after, created_before, ...others }: Filters): number {
  return [created_after ?? created_before, ...Object.values(others)].filter((value) => value !== undefined).length;
}

/** Without the filters by values that a job summary does not have. With one of them, `matches` is false for every job. */
export function withoutHidden({ status, type, created_after, created_before, tag }: Filters): Filters {
  return given<Filters>({ status, type, created_after, created_before, tag });
}

export function hasHidden(filters: Filters): boolean {
  return countOf(filters) > countOf(withoutHidden(filters));
}

/** Whether the API would list the job under these filters, as far as its summary shows. */
export function matches(filters: Filters, job: Job): boolean {
  const { status, type, created_after, created_before, tag } = filters;
  if (hasHidden(filters)) return false;
  if (status && job.status !== status) return false;
  if (type && job.type !== type) return false;
  if (wordsOf(tag).some((one) => !job.tags?.includes(one))) return false;
  const at = Date.parse(job.created_at);
  if (created_after && at < Date.parse(created_after)) return false;
  return !(created_before && at >= Date.parse(created_before));
}

export function isFinished({ status }: Pick<Job, 'status'>): boolean {
  return status === 'done' || status === 'failed';
}

/** Whether the text has valid tags, and no more than the API can filter by. */
function areTags(text: string): boolean {
  const tags = wordsOf(text);
  return tags.length > 0 && tags.length <= LIMITS.tagsInFilter && tags.every((tag) => TAG_PATTERN.test(tag));
}

/** How the time ranges of the statistics are shown. */
export const WINDOW_WORDS: Record<StatsWindow, string> = { '1h': '1 h', '24h': '24 h', '7d': '7 d' };

/** The columns of the list that the user can choose. */
export const COLUMNS = ['Type', 'Details', 'Retries', 'Duration', 'Created', 'Updated'] as const;
export type ColumnName = (typeof COLUMNS)[number];
export const DEFAULT_COLUMNS: readonly ColumnName[] = COLUMNS.filter((name) => name !== 'Updated');
