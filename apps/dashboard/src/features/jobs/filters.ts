import type { Schemas } from '@jobline/client';
import { meaningOf } from '../../product/status.js';
import type { jobsSearch } from './search.js';
import { tagsOf } from './tags.js';

export type Job = Schemas['JobSummary'];
export type JobStatus = Job['status'];
export type JobsSearch = ReturnType<typeof jobsSearch>;
/** The filters of the list: the search parameters that the API also supports. */
export type Filters = Pick<
  JobsSearch,
  'status' | 'type' | 'error_code' | 'created_after' | 'created_before' | 'tag' | 'key' | 'schedule'
>;

/** Undefined removes a filter. */
export type FilterChange = { [K in keyof Filters]?: Filters[K] | undefined };

export const NO_FILTERS = {
  status: undefined,
  type: undefined,
  error_code: undefined,
  created_after: undefined,
  created_before: undefined,
  tag: undefined,
  key: undefined,
  schedule: undefined,
} satisfies Record<keyof Filters, undefined>;

/** Returns only the filters that are set, with times in the format of the API. */
export function filtersOf({ created_after, created_before, ...texts }: FilterChange): Filters {
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value)),
    ...(created_after && { created_after: new Date(created_after).toISOString() }),
    ...(created_before && { created_before: new Date(created_before).toISOString() }),
  };
}

/** The filters as query parameters of the API. */
export function queryOf({ tag, ...same }: Filters) {
  return { ...same, ...(tag && { tag: tagsOf(tag) }) };
}

export function countOf({ created_after, created_before, ...others }: Filters): number {
  return [created_after ?? created_before, ...Object.values(others)].filter((value) => value !== undefined).length;
}

/** Without the filters by values that a job summary does not have. With one of them, `matches` is false for every job. */
export function withoutHidden({ key: _key, schedule: _schedule, error_code: _code, ...others }: Filters): Filters {
  return others;
}

export function hasHidden({ key, schedule, error_code }: Filters): boolean {
  return [key, schedule, error_code].some((value) => value !== undefined);
}

/** Whether the API would list the job under these filters, as far as its summary shows. */
export function matches(filters: Filters, job: Job): boolean {
  const { status, type, created_after, created_before, tag } = filters;
  if (hasHidden(filters)) return false;
  if (status && job.status !== status) return false;
  if (type && job.type !== type) return false;
  if (tagsOf(tag).some((one) => !job.tags?.includes(one))) return false;
  const at = Date.parse(job.created_at);
  if (created_after && at < Date.parse(created_after)) return false;
  return !(created_before && at >= Date.parse(created_before));
}

/** The jobs that match: `failed send_sms jobs with the tag night in this period`. */
export function jobsWords({
  status,
  type,
  error_code,
  created_after,
  created_before,
  tag,
  key,
  schedule,
}: Filters): string {
  const tags = tagsOf(tag);
  return [
    status && meaningOf('job', status).word.toLowerCase(),
    type,
    'jobs',
    schedule && 'of this schedule',
    error_code && `with the error code ${error_code}`,
    tags.length > 0 && `with the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`,
    key && `with the key ${key}`,
    (created_after ?? created_before) && 'in this period',
  ]
    .filter(Boolean)
    .join(' ');
}
