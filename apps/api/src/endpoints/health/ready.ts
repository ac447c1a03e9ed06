import { AppError } from '@jobline/contracts';
import { type Db, ping, schemaFault } from '@jobline/db';
import { within } from '@jobline/runtime';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { unavailable } from '../../http/refusals.js';
import { json } from '../../http/replies.js';
import { view } from '../../views/view.js';

const ANSWER_WITHIN_MS = 2_000;

/** Those that were found as this version needs them: that is looked at until it is so. */
const fit = new WeakSet<Db>();

/** Says whether jobs are taken. Postgres alone decides: without Redis they wait, and none is lost. */
export const ready = defineEndpoint({
  method: 'get',
  path: '/readyz',
  summary: 'Whether the service takes jobs',
  auth: 'none',
  responses: { 200: json('It does.', view<{ status: string }>('Ready', { status: Joi.valid('ready') })) },
  errors: ['unavailable'],
  async handle({ deps }) {
    const failure = await within(ANSWER_WITHIN_MS, check(deps.db), () => new Error('no answer in time'));
    if (failure) throw failure instanceof AppError ? failure : unavailable(failure);
    return { status: 200, body: { status: 'ready' } };
  },
});

/** Null, or why not. */
async function check(db: Db): Promise<unknown> {
  if (fit.has(db)) return ping(db);
  try {
    const fault = await schemaFault(db);
    if (fault) return unfit(fault);
    fit.add(db);
    return null;
  } catch (error) {
    return error;
  }
}

/** What to do about it, the log says. */
function unfit(fault: string): AppError {
  const [what] = fault.split(':');
  return new AppError('unavailable', `Not ready: ${what}.`, { headers: { 'Retry-After': '5' } });
}
