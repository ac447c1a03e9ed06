import { AppError } from '@jobline/contracts';
import { type Db, findSchemaProblem, ping } from '@jobline/db';
import type { FindOwnerProblem } from '@jobline/engine';
import { createLookup, within } from '@jobline/runtime';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { unavailable } from '../http/errors.js';
import { json } from '../http/response-specs.js';
import { view } from '../http/view.js';

/** Reports that the process runs, without a look at its dependencies. */
export const alive = defineEndpoint({
  method: 'get',
  path: '/healthz',
  summary: 'Check that the process is alive',
  auth: 'none',
  responses: { 200: json('The process is alive.', view<{ status: string }>('Alive', { status: Joi.valid('alive') })) },
  handle: async () => ({ status: 200, body: { status: 'alive' } }),
});

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

/** Null, or why the service accepts no jobs. The result is kept for a second, so that many calls cause one query. */
export type Readiness = () => Promise<AppError | null>;

const KEPT_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;

export function createReadiness(db: Db, findOwnerProblem: FindOwnerProblem): Readiness {
  /** Whether the schema has been found to match this version. It is checked until it does. */
  let isFit = false;

  /** Null, or the reason why the service is not ready. */
  async function check(): Promise<unknown> {
    try {
      const failure = isFit ? await ping(db) : null;
      if (failure) return failure;
      const problem = (isFit ? null : await findSchemaProblem(db)) ?? (await findOwnerProblem());
      if (!problem) isFit = true;
      return problem && unfit(problem);
    } catch (error) {
      return error;
    }
  }

  const recent = createLookup({
    ttlMs: KEPT_MS,
    maxEntries: 1,
    async load() {
      const failure = await within(ANSWER_WITHIN_MS, check(), () => new Error('Postgres did not answer in time'));
      if (!failure) return null;
      return failure instanceof AppError ? failure : unavailable(failure);
    },
  });
  return () => recent.get('');
}

/** The response has the reason only; the log also says what to do. */
function unfit(problem: string): AppError {
  const [what] = problem.split(':');
  return new AppError('unavailable', `Not ready: ${what}.`, { headers: { 'Retry-After': '5' } });
}
