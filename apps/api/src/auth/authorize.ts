import { AppError, hasRight } from '@jobline/contracts';
import type { Endpoint } from '../endpoint.js';
import type { Principal } from './principal.js';

/** Throws `forbidden` if the caller's role, or the scopes of its key, do not allow the endpoint. */
export function authorize(principal: Principal, { auth, right }: Pick<Endpoint, 'auth' | 'right'>): void {
  if (right && !hasRight(principal.role, right)) throw forbidden(`The role ${principal.role} does not allow this.`);
  if (principal.kind === 'user' || auth === 'none' || auth === 'bearer' || principal.scopes.includes(auth)) return;
  throw forbidden(`This API key does not have the scope ${auth}.`);
}

function forbidden(message: string): AppError {
  return new AppError('forbidden', message);
}
