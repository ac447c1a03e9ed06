import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@jobline/contracts';
import { notFound } from '../http/refusals.js';
import { createRecent } from './recent.js';

/** Whoever runs the service, as its configuration names them. They are nobody to the organizations' endpoints. */
export interface Operator {
  user: string;
  password: string;
}

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
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

export function createOperators(operator: Operator | undefined): Operators {
  const failures = createRecent<number>({ ttlMs: FAILURES_KEPT_MS, maxEntries: MAX_ADDRESSES });
  const expected = operator && digest(`${operator.user}:${operator.password}`);
  return {
    areNamed: operator !== undefined,
    admit({ authorization }, address = '') {
      if (!expected) throw notFound();
      const failed = failures.get(address) ?? 0;
      if (failed >= MAX_FAILURES) throw tooManyFailures();
      const given = BASIC.exec(authorization ?? '')?.[1];
      if (given !== undefined && timingSafeEqual(digest(Buffer.from(given, 'base64')), expected)) return;
      // A browser asks without credentials first: only wrong ones count.
      if (given !== undefined) failures.set(address, failed + 1);
      throw new AppError('unauthenticated', "The operator's name and password are needed.", {
        headers: { 'WWW-Authenticate': 'Basic realm="Jobline operators", charset="UTF-8"' },
      });
    },
  };
}

/** Digests are of one length, as a comparison in constant time wants. */
function digest(credentials: string | Buffer): Buffer {
  return hash('sha256', credentials, 'buffer');
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
