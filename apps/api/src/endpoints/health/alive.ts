import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { view } from '../../views/view.js';

/** Reports that the process runs, without a look at its dependencies. */
export const alive = defineEndpoint({
  method: 'get',
  path: '/healthz',
  summary: 'Check that the process is alive',
  auth: 'none',
  responses: { 200: json('The process is alive.', view<{ status: string }>('Alive', { status: Joi.valid('alive') })) },
  handle: async () => ({ status: 200, body: { status: 'alive' } }),
});
