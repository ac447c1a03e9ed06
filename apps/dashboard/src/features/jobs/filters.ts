import type { Schemas } from '../../api/api-client.js';
import { meaningOf } from '../../product/status.js';
import type { jobsSearch } from './search.js';

export type Job = Schemas['JobSummary'];
export type JobStatus = Job['status'];
export type JobsSearch = ReturnType<typeof jobsSearch>;
/** What the list is narrowed to: the part of the address that the API's list understands. */
export type Filters = Pick<JobsSearch, 'status' | 'type' | 'created_after' | 'created_before'>;

/** Undefined takes a filter away. */
export type FilterChange = { [K in keyof Filters]?: Filters[K] | undefined };

export const NO_FILTERS = {
  status: undefined,
  type: undefined,
  created_after: undefined,
  created_before: undefined,
} satisfies Record<keyof Filters, undefined>;

/** Only what is set, and times as the API writes them: people type them in many ways. */
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

/** `No failed send_sms jobs in this time`: what is not there. */
export function absenceOf({ status, type, created_after, created_before }: Filters): string {
  const words = [status && meaningOf('job', status).word.toLowerCase(), type, 'jobs'].filter(Boolean).join(' ');
  return `No ${words}${created_after || created_before ? ' in this time' : ''}`;
}
