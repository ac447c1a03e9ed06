import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { view } from '../../views/view.js';

/** Says that the process runs, whatever it can reach. */
export const alive = defineEndpoint({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the process is alive',
  auth: 'none',
  responses: { 200: json('It is.', view<{ status: string }>('Alive', { status: Joi.valid('alive') })) },
  handle: async () => ({ status: 200, body: { status: 'alive' } }),
});
