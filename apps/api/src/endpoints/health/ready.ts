import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { view } from '../../views/view.js';

/** Says whether jobs are taken. Postgres alone decides: without Redis they wait, and none is lost. */
export const ready = defineEndpoint({
  method: 'get',
  path: '/readyz',
  summary: 'Whether the service takes jobs',
  auth: 'none',
  responses: { 200: json('It does.', view<{ status: string }>('Ready', { status: Joi.valid('ready') })) },
  errors: ['unavailable'],
  async handle({ deps }) {
    const failure = await deps.readiness();
    if (failure) throw failure;
    return { status: 200, body: { status: 'ready' } };
  },
});
