import { listBulks as listBulkRows } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { pageAnswer, pageQuery } from '../../http/paging.js';
import { page } from '../../http/response-specs.js';
import { bulkView, toBulkView } from '../../views/bulk-view.js';

/** The organization's bulk actions, newest first. */
export const listBulks = defineEndpoint({
  method: 'get',
  path: '/jobs/bulk',
  summary: 'List bulk actions',
  auth: 'jobs:read',
  right: 'jobs',
  needs: ['db'],
  query: pageQuery(UUID_PATTERN),
  responses: { 200: page('A page of bulk actions', bulkView) },
  async handle({ deps, principal, query, url }) {
    return pageAnswer(
      url,
      await listBulkRows(deps.db, principal.orgId, { ...query, types: principal.types }),
      toBulkView,
    );
  },
});
