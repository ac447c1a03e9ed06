import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@jobline/contracts';
import { createOperatorAuth, GUESSES, type OperatorCredentials } from '@jobline/runtime';
import { notFound } from '../http/refusals.js';
import { addressKey } from '../limits/address.js';

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

export function createOperators(operator: Operator | undefined): Operators {
  const door = operator && createOperatorAuth(operator);
  return {
    areNamed: door !== undefined,
    admit({ authorization }, ip) {
      if (!door) throw notFound();
      const answer = door.verify(authorization, addressKey(ip));
      if (answer === 'granted') return;
      if (answer === 'locked') throw tooManyGuesses();
      throw new AppError('unauthenticated', "The operator's name and password are needed.", {
        headers: { 'WWW-Authenticate': 'Basic realm="Jobline operators", charset="UTF-8"' },
      });
    },
  };
}

function tooManyGuesses(): AppError {
  const reset = String(GUESSES.keptMs / 1_000);
  return new AppError('rate_limited', 'Too many wrong credentials from this address; wait a minute.', {
    headers: {
      'Retry-After': reset,
      'RateLimit-Limit': String(GUESSES.limit),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': reset,
    },
  });
}
