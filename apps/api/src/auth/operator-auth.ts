import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@jobline/contracts';
import { createOperatorAuth as createSharedOperatorAuth, GUESSES, type OperatorCredentials } from '@jobline/runtime';
import { notFound } from '../http/errors.js';
import { addressKey } from '../rate-limits/client-address.js';
import { rateLimited, usedUp } from '../rate-limits/rate-limit-state.js';

/** Checks the credentials of operators. They are valid for the operators' paths only, and no other credentials are. */
export interface OperatorAuth {
  /** Whether an operator is configured. Without one, the operators' paths do not exist. */
  readonly isConfigured: boolean;
  /**
   * Throws unless the request has the operator's credentials (HTTP Basic): `not_found` if no operator is configured,
   * `rate_limited` after too many failures from the address, otherwise `unauthenticated`. A session
   * token or an API key of an organization is not accepted.
   */
  verify(headers: IncomingHttpHeaders, address: string | undefined): void;
}

export function createOperatorAuth(operator: OperatorCredentials | undefined): OperatorAuth {
  const auth = operator && createSharedOperatorAuth(operator);
  return {
    isConfigured: auth !== undefined,
    verify({ authorization }, ip) {
      if (!auth) throw notFound();
      const result = auth.verify(authorization, addressKey(ip));
      if (result === 'granted') return;
      if (result === 'locked') {
        throw rateLimited(
          'Too many wrong credentials from this address.',
          usedUp(GUESSES.limit, GUESSES.keptMs / 1_000),
        );
      }
      throw new AppError('unauthenticated', "Send the operator's name and password by HTTP Basic.", {
        headers: { 'WWW-Authenticate': 'Basic realm="Jobline operators", charset="UTF-8"' },
      });
    },
  };
}
