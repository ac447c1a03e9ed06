import { AppError } from '@jobline/contracts';
import { type Db, findSchemaProblem, ping } from '@jobline/db';
import type { FindOwnerFault } from '@jobline/engine';
import { createLookup, within } from '@jobline/runtime';
import { unavailable } from '../../http/refusals.js';

/** Null, or why the service takes no jobs. As of the last second: however many ask, Postgres is asked once. */
export type Readiness = () => Promise<AppError | null>;

const KEPT_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;

export function createReadiness(db: Db, findOwnerFault: FindOwnerFault): Readiness {
  /** Whether the schema was found as this version needs it: that is looked at until it is so. */
  let isFit = false;

  /** Null, or why not. */
  async function check(): Promise<unknown> {
    try {
      const failure = isFit ? await ping(db) : null;
      if (failure) return failure;
      const fault = (isFit ? null : await findSchemaProblem(db)) ?? (await findOwnerFault());
      if (!fault) isFit = true;
      return fault && unfit(fault);
    } catch (error) {
      return error;
    }
  }

  const recent = createLookup({
    ttlMs: KEPT_MS,
    maxEntries: 1,
    async load() {
      const failure = await within(ANSWER_WITHIN_MS, check(), () => new Error('no answer in time'));
      if (!failure) return null;
      return failure instanceof AppError ? failure : unavailable(failure);
    },
  });
  return () => recent.get('');
}

/** What to do about it, the log says. */
function unfit(fault: string): AppError {
  const [what] = fault.split(':');
  return new AppError('unavailable', `Not ready: ${what}.`, { headers: { 'Retry-After': '5' } });
}
