import { LIMIT_NAME_PATTERN } from '@jobline/contracts';
import { findLimit, listWaitingKeys } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { json } from '../../../http/response-specs.js';
import { limitKeyView, toLimitKeyView } from '../../../views/limit-view.js';

const MAX_KEYS = 20;

/** The keys whose jobs have waited for a limit for the longest time. */
export const listLimitKeys = defineEndpoint({
  method: 'get',
  path: '/org/limits/:name/keys',
  summary: 'List the keys that wait longest for a limit',
  auth: 'bearer',
  right: 'read_limits',
  needs: ['db'],
  params: { name: LIMIT_NAME_PATTERN },
  responses: { 200: json('At most 20 keys, the longest-waiting first.', Joi.array().items(limitKeyView)) },
  async handle({ deps, principal: { orgId }, params: { name } }) {
    const limit = await findLimit(deps.db, orgId, name);
    if (!limit) throw notFound();
    return { status: 200, body: (await listWaitingKeys(deps.db, orgId, limit, MAX_KEYS)).map(toLimitKeyView) };
  },
});
