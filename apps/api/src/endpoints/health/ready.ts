import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { view } from '../../views/view.js';

/** Reports whether the service accepts jobs. It needs no Redis: while Redis is away, jobs wait and none is lost. */
export const ready = defineEndpoint({
  method: 'get',
  path: '/readyz',
  summary: 'Check that the service accepts jobs',
  auth: 'none',
  needs: ['readiness'],
  responses: {
    200: json('The service accepts jobs.', view<{ status: string }>('Ready', { status: Joi.valid('ready') })),
  },
  errors: ['unavailable'],
  async handle({ deps }) {
    const failure = await deps.readiness();
    if (failure) throw failure;
    return { status: 200, body: { status: 'ready' } };
  },
});
