import { listTemplates as listTemplateRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../../http/paging.js';
import { page } from '../../../http/responses.js';
import { templateSummaryView, toTemplateSummaryView } from '../../../views/template-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** The organization's templates, newest first, without their bodies. */
export const listTemplates = defineEndpoint({
  method: 'get',
  path: '/org/templates',
  summary: 'List templates',
  auth: 'bearer',
  right: 'read_templates',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN) }),
  responses: { 200: page('A page of templates', templateSummaryView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listTemplateRows(deps.db, principal.orgId, query);
    const headers = nextPage(url, next && encodeTimeCursor(next));
    return { status: 200, body: items.map(toTemplateSummaryView), headers };
  },
});
