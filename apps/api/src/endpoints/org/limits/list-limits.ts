import { listLimits as listLimitRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { json } from '../../../http/response-specs.js';
import { limitView, toLimitView } from '../../../views/limit-view.js';

/** The organization's limits by name, with the numbers of their jobs. There are at most 100. */
export const listLimits = defineEndpoint({
  method: 'get',
  path: '/org/limits',
  summary: 'List limits',
  auth: 'bearer',
  right: 'read_limits',
  needs: ['db'],
  responses: { 200: json('All limits, by name.', Joi.array().items(limitView)) },
  async handle({ deps, principal }) {
    return { status: 200, body: (await listLimitRows(deps.db, principal.orgId)).map(toLimitView) };
  },
});
