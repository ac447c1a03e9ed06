import { findBulk } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { bulkView, toBulkView } from '../../views/bulk-view.js';

/** A bulk action with its progress. */
export const getBulk = defineEndpoint({
  method: 'get',
  path: '/jobs/bulk/:id',
  summary: 'Read a bulk action and its progress',
  auth: 'jobs:read',
  right: 'jobs',
  needs: ['db'],
  params: { id: UUID_PATTERN },
  responses: { 200: json('The bulk action.', bulkView) },
  async handle({ deps, principal, params }) {
    const row = await findBulk(deps.db, principal.orgId, params.id, principal.types);
    if (!row) throw notFound();
    return { status: 200, body: toBulkView(row) };
  },
});
