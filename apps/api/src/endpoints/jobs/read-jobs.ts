import {
  JOB_ERROR_CODES,
  JOB_STATUSES,
  type JobErrorCode,
  type JobStatus,
  LIMITS,
  NAME_PATTERN,
  type OrgId,
} from '@jobline/contracts';
import { findJob, listJobs as listJobRows, type ReserveMemory, readContents } from '@jobline/db';
import { aboutText, instant, shortText, tag } from '@jobline/engine';
import { listOf } from '@jobline/handlers';
import Joi from 'joi';
import { selectTypes } from '../../auth/authorize.js';
import type { Deps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { uuid } from '../../http/fields.js';
import { pageAnswer, pageQuery } from '../../http/paging.js';
import { json, page } from '../../http/response-specs.js';
import {
  type JobView,
  jobView,
  listedJobView,
  toDetailedJobView,
  toIncluded,
  toJobView,
  toListedJobView,
} from './job-view.js';

interface Filters {
  status?: JobStatus | 'completed';
  type?: string;
  tag?: string[];
  key?: string;
  error_code?: JobErrorCode;
  schedule?: string;
  after?: string;
  rerun_of?: string;
  about?: string;
  worker_version?: string;
  created_after?: Date;
  created_before?: Date;
  include?: string;
  detail?: 'full';
}

/** The jobs of the whole organization, newest first. */
export const listJobs = defineEndpoint({
  method: 'get',
  path: '/jobs',
  summary: 'List jobs',
  auth: 'jobs:read',
  needs: ['db'],
  query: pageQuery<Filters>(NAME_PATTERN, {
    status: Joi.valid(...JOB_STATUSES, 'completed').description('`completed` means `done`.'),
    type: Joi.string().pattern(NAME_PATTERN),
    tag: listOf(LIMITS.tagsInFilter, tag()).description(
      'Jobs that have all of these tags. A page of such a list may have fewer jobs than `limit`.',
    ),
    key: shortText().description('Jobs that were submitted with this `key`.'),
    error_code: Joi.valid(...Object.keys(JOB_ERROR_CODES)).description('Jobs that failed with this error code.'),
    schedule: uuid().description('Jobs of the schedule with this id, runs by hand included.'),
    after: Joi.string().pattern(NAME_PATTERN).description('Jobs that name the job with this id in `after`.'),
    rerun_of: Joi.string().pattern(NAME_PATTERN).description('Reruns of the job with this id.'),
    about: aboutText().description(
      'Jobs of built-in types whose recipient, phone, channel or host is exactly this; upper and lower case are the same.',
    ),
    worker_version: shortText().description('Jobs whose latest attempt ran on a worker with this `WORKER_VERSION`.'),
    created_after: instant().description('Jobs created at or after this time.'),
    created_before: instant().description('Jobs created before this time.'),
    include: Joi.valid('payload', 'result', 'payload,result', 'result,payload').description(
      'Adds the payload, the result or both to each job: at most 1 MiB of JSON in a page.',
    ),
    detail: Joi.valid('full').description('`full`: with `about` and `duration_ms`.'),
  }),
  responses: { 200: page('A page of jobs', listedJobView) },
  async handle({ deps, principal, query, url, reserve }) {
    const { status, type, tag: tags, key, schedule: scheduleId, error_code: errorCode, after, about } = query;
    const { created_after: createdAfter, created_before: createdBefore, limit, cursor } = query;
    const { rerun_of: rerunOf, worker_version: workerVersion } = query;
    const statuses = status === undefined ? [] : [status === 'completed' ? 'done' : status];
    const labels = { tags, limitKey: key, scheduleId, errorCode, after, rerunOf, about, workerVersion };
    const types = selectTypes(principal.types, type);
    const filter = { statuses, types, ...labels, createdAfter, createdBefore, limit, cursor };
    const jobs = await listJobRows(deps.db, principal.orgId, filter);
    const toView = query.detail ? toDetailedJobView : toListedJobView;
    if (query.include === undefined) return pageAnswer(url, jobs, (job) => toView(job));
    const wanted = { payload: query.include.includes('payload'), result: query.include.includes('result') };
    const ids = jobs.items.map(({ id }) => id);
    const options = { wanted, maxBytes: LIMITS.includedBytes, reserve };
    const contents = await readContents(deps.db, principal.orgId, ids, options);
    return pageAnswer(url, jobs, (job) => ({ ...toView(job), ...toIncluded(wanted, contents.get(job.id)) }));
  },
});

/** A job with its payload. */
export const getJob = defineEndpoint({
  method: 'get',
  path: '/jobs/:id',
  summary: 'Read a job',
  auth: 'jobs:read',
  needs: ['db', 'findWaitingFor'],
  params: { id: NAME_PATTERN },
  responses: { 200: json('The job.', jobView) },
  async handle({ deps, principal, params, reserve }) {
    return { status: 200, body: await readJob(deps, principal.orgId, params.id, reserve) };
  },
});

/** The view of a job. Throws if the organization has no such job. */
export async function readJob(
  { db, findWaitingFor }: Deps<'db' | 'findWaitingFor'>,
  orgId: OrgId,
  id: string,
  reserve: ReserveMemory,
): Promise<JobView> {
  const job = await findJob(db, orgId, id, reserve);
  if (!job) throw notFound();
  // The job may have started since it was read: then it is shown as pending, about to start.
  return toJobView(job, job.status === 'pending' ? ((await findWaitingFor(orgId, id)) ?? null) : undefined);
}
