import { listApiKeys as listApiKeyRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { page } from '../../http/replies.js';
import { apiKeyView, toApiKeyView } from '../../views/account-view.js';
import { UUID_PATTERN } from '../fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../paging.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** The organization's API keys, newest first, by their first characters. */
export const listApiKeys = defineEndpoint({
  method: 'get',
  path: '/org/api-keys',
  summary: 'List API keys',
  auth: 'bearer',
  right: 'api_keys',
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(UUID_PATTERN) }),
  responses: { 200: page('A page of keys', apiKeyView) },
  async handle({ deps, principal, query, url }) {
    const { items, next } = await listApiKeyRows(deps.db, principal.orgId, query);
    return { status: 200, body: items.map(toApiKeyView), headers: nextPage(url, next && encodeTimeCursor(next)) };
  },
});
