import { NAME_PATTERN } from '@jobline/contracts';
import { listAttempts as listAttemptRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { encodeSequenceCursor, limit, nextPageHeaders, sequenceCursor } from '../../http/paging.js';
import { page } from '../../http/response-specs.js';
import { attemptView, toAttemptView } from '../../views/job-view.js';

interface Query {
  limit: number;
  cursor?: bigint;
}

/** A job's attempts, oldest first. */
export const listAttempts = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/attempts',
  summary: "List a job's attempts",
  auth: 'jobs:read',
  right: 'jobs',
  needs: ['db'],
  params: { id: NAME_PATTERN },
  query: Joi.object<Query>({
    limit: limit(),
    cursor: sequenceCursor().description('The `X-Next-Cursor` of the page before.'),
  }),
  responses: { 200: page('A page of attempts, oldest first', attemptView) },
  async handle({ deps, principal, params, query, url }) {
    const { limit, cursor: after } = query;
    const found = await listAttemptRows(deps.db, principal.orgId, params.id, { limit, after });
    if (!found) throw notFound();
    const headers = nextPageHeaders(url, found.next === null ? null : encodeSequenceCursor(found.next));
    return { status: 200, body: found.items.map(toAttemptView), headers };
  },
});
