import { listApiKeys as listApiKeyRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { UUID_PATTERN, uuid } from '../../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../http/paging.js';
import { page } from '../../http/responses.js';
import { apiKeyView, toApiKeyView } from '../../views/account-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
  created_by?: string;
}

/** The organization's API keys, newest first, by their first characters: all, or those that a user, perhaps removed since, has made. */
export const listApiKeys = defineEndpoint({
  method: 'get',
  path: '/org/api-keys',
  summary: 'List API keys',
  auth: 'bearer',
  right: 'api_keys',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN), created_by: uuid() }),
  responses: { 200: page('A page of keys', apiKeyView) },
  async handle({ deps, principal, query, url }) {
    const { created_by: createdBy, ...page } = query;
    const { items, next } = await listApiKeyRows(deps.db, principal.orgId, { ...page, createdBy });
    return { status: 200, body: items.map(toApiKeyView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
