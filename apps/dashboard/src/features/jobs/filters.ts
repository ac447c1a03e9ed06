import type { Schemas } from '../../api/api-client.js';
import { meaningOf } from '../../product/status.js';
import type { jobsSearch } from './search.js';

export type Job = Schemas['JobSummary'];
export type JobStatus = Job['status'];
export type JobsSearch = ReturnType<typeof jobsSearch>;
/** The filters of the list: the search parameters that the API also supports. */
export type Filters = Pick<JobsSearch, 'status' | 'type' | 'created_after' | 'created_before'>;

/** Undefined removes a filter. */
export type FilterChange = { [K in keyof Filters]?: Filters[K] | undefined };

export const NO_FILTERS = {
  status: undefined,
  type: undefined,
  created_after: undefined,
  created_before: undefined,
} satisfies Record<keyof Filters, undefined>;

/** Returns only the filters that are set, with times in the format of the API. */
export function filtersOf({ status, type, created_after, created_before }: FilterChange): Filters {
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...(created_after && { created_after: new Date(created_after).toISOString() }),
    ...(created_before && { created_before: new Date(created_before).toISOString() }),
  };
}

export function countOf(filters: Filters): number {
  const { status, type, created_after, created_before } = filters;
  return [status, type, created_after ?? created_before].filter((value) => value !== undefined).length;
}

/** Whether the API would list the job under these filters. */
export function matches({ status, type, created_after, created_before }: Filters, job: Job): boolean {
  if (status && job.status !== status) return false;
  if (type && job.type !== type) return false;
  const at = Date.parse(job.created_at);
  if (created_after && at < Date.parse(created_after)) return false;
  return !(created_before && at >= Date.parse(created_before));
}

/** The title of an empty list: `No failed send_sms jobs in this period`. */
export function emptyTitle({ status, type, created_after, created_before }: Filters): string {
  const words = [status && meaningOf('job', status).word.toLowerCase(), type, 'jobs'].filter(Boolean).join(' ');
  return `No ${words}${created_after || created_before ? ' in this period' : ''}`;
}
