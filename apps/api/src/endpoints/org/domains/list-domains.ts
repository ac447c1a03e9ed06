import { listDomains as listDomainRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../../http/paging.js';
import { page } from '../../../http/responses.js';
import { domainView, toDomainView } from '../../../views/sender-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** The organization's domains, newest first. */
export const listDomains = defineEndpoint({
  method: 'get',
  path: '/org/domains',
  summary: 'List domains to send email from',
  auth: 'bearer',
  right: 'read_senders',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN) }),
  responses: { 200: page('A page of domains', domainView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listDomainRows(deps.db, principal.orgId, query);
    return { status: 200, body: items.map(toDomainView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
