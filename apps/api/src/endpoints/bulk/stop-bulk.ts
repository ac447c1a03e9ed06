import { AppError } from '@jobline/contracts';
import { findBulk, stopBulk as stopBulkRow } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { bulkView, toBulkView } from '../../views/bulk-view.js';

/** Stops a bulk action. What is done stays done. */
export const stopBulk = defineEndpoint({
  method: 'post',
  path: '/jobs/bulk/:id/stop',
  summary: 'Stop a bulk action',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['db'],
  limits: { org: 'control' },
  params: { id: UUID_PATTERN },
  responses: { 202: json('The bulk action. It touches no further job.', bulkView) },
  errors: ['conflict'],
  async handle({ deps: { db }, principal: { orgId, types }, params: { id } }) {
    const stopped = await db.$transaction((tx) => stopBulkRow(tx, orgId, id, types));
    const row = stopped ?? (await findBulk(db, orgId, id, types));
    if (!row) throw notFound();
    if (row.status === 'done') throw new AppError('conflict', 'The bulk action has finished already.');
    return { status: 202, body: toBulkView(row) };
  },
});
