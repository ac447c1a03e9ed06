import { listSuppressions as listSuppressionRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../../http/paging.js';
import { page } from '../../../http/responses.js';
import { suppressionView, toSuppressionView } from '../../../views/suppression-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** Who is sent nothing any more, because they bounced or complained; newest first. */
export const listSuppressions = defineEndpoint({
  method: 'get',
  path: '/org/suppressions',
  summary: 'List suppressed addresses',
  auth: 'bearer',
  right: 'suppressions',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN) }),
  responses: { 200: page('A page of suppressed addresses', suppressionView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listSuppressionRows(deps.db, principal.orgId, query);
    return { status: 200, body: items.map(toSuppressionView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
