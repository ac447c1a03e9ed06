import { JOB_STATUSES, type JobStatus, NAME_PATTERN } from '@jobline/contracts';
import { listJobs as listJobRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { instant } from '../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../http/paging.js';
import { page } from '../../http/responses.js';
import { jobSummaryView, toJobSummaryView } from '../../views/job-view.js';

interface Query {
  status?: JobStatus | 'completed';
  type?: string;
  created_after?: Date;
  created_before?: Date;
  limit: number;
  cursor?: TimeCursor;
}

/** The whole organization's jobs, newest first. */
export const listJobs = defineEndpoint({
  method: 'get',
  path: '/jobs',
  summary: 'List jobs',
  auth: 'bearer-or-key',
  right: 'jobs',
  query: Joi.object<Query>({
    status: Joi.valid(...JOB_STATUSES, 'completed').description('`completed` means `done`.'),
    type: Joi.string().pattern(NAME_PATTERN),
    created_after: instant().description('From this moment on, itself included.'),
    created_before: instant().description('Up to this moment, itself excluded.'),
    limit: limit(),
    cursor: timeCursor(NAME_PATTERN),
  }),
  responses: { 200: page('A page of jobs', jobSummaryView) },
  async handle({ deps, principal, query, url }) {
    const { status, type, created_after: createdAfter, created_before: createdBefore } = query;
    const statuses = status === undefined ? [] : [status === 'completed' ? 'done' : status];
    const filter = { statuses, type, createdAfter, createdBefore, limit: query.limit, cursor: query.cursor };
    const { items, next } = await listJobRows(deps.db, principal.orgId, filter);
    return { status: 200, body: items.map(toJobSummaryView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
