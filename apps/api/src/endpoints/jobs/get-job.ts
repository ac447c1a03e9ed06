import { NAME_PATTERN, type OrgId } from '@jobline/contracts';
import { findJob, type Reserve } from '@jobline/db';
import type { Deps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { type JobView, jobView, toJobView } from '../../views/job-view.js';

/** A job with its payload. */
export const getJob = defineEndpoint({
  method: 'get',
  path: '/jobs/:id',
  summary: 'Read a job',
  auth: 'jobs:read',
  right: 'jobs',
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
  reserve: Reserve,
): Promise<JobView> {
  const job = await findJob(db, orgId, id, reserve);
  if (!job) throw notFound();
  // The job may have started since it was read: then it is shown as pending, about to start.
  return toJobView(job, job.status === 'pending' ? ((await findWaitingFor(orgId, id)) ?? null) : undefined);
}
