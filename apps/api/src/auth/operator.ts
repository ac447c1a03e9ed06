import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@jobline/contracts';
import { isOperator, type OperatorCredentials } from '@jobline/runtime';
import { notFound } from '../http/refusals.js';
import { addressKey } from '../limits/address.js';
import { createRecent } from './recent.js';

/** They are nobody to the organizations' endpoints. */
export type Operator = OperatorCredentials;

/** The door to what is for operators alone. */
export interface Operators {
  /** Whether there is an operator: without one, nothing behind the door is there. */
  readonly areNamed: boolean;
  /**
   * Returns if the request has the operator's credentials, by HTTP Basic. Else throws: `not_found` where nobody is named,
   * `rate_limited` after too many failures from the address, `unauthenticated` otherwise. A token or a key of an
   * organization is no credential here.
   */
  admit(headers: IncomingHttpHeaders, address: string | undefined): void;
}

const MAX_FAILURES = 10;
const FAILURES_KEPT_MS = 60_000;
const MAX_ADDRESSES = 10_000;

export function createOperators(operator: Operator | undefined): Operators {
  const failures = createRecent<number>({ ttlMs: FAILURES_KEPT_MS, maxEntries: MAX_ADDRESSES });
  return {
    areNamed: operator !== undefined,
    admit({ authorization }, ip) {
      if (!operator) throw notFound();
      const address = addressKey(ip);
      const failed = failures.get(address) ?? 0;
      if (failed >= MAX_FAILURES) throw tooManyFailures();
      if (isOperator(operator, authorization)) return;
      // A browser asks without credentials first: only wrong ones count.
      if (/^Basic /i.test(authorization ?? '')) failures.set(address, failed + 1);
      throw new AppError('unauthenticated', "The operator's name and password are needed.", {
        headers: { 'WWW-Authenticate': 'Basic realm="Jobline operators", charset="UTF-8"' },
      });
    },
  };
}

function tooManyFailures(): AppError {
  const reset = String(FAILURES_KEPT_MS / 1_000);
  return new AppError('rate_limited', 'Too many wrong credentials from this address; wait a minute.', {
    headers: {
      'Retry-After': reset,
      'RateLimit-Limit': String(MAX_FAILURES),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': reset,
    },
  });
}
