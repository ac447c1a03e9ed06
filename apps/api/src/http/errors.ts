import { AppError, type ErrorDetail, QUOTAS, type Quota } from '@jobline/contracts';
import { isUniqueViolation } from '@jobline/db';
import { INVALID_REQUEST, rejectedPayload } from '@jobline/engine';
import type { ValidationFailure } from '@jobline/handlers';

/** Errors that more than one module throws, so that each has one wording. */

const RETRY_AFTER_S = 5;

export function invalidRequest(details: readonly ErrorDetail[], message = INVALID_REQUEST): AppError {
  return new AppError('validation_failed', message, { details });
}

/** Throws unless the method is GET or HEAD. */
export function requireReadMethod({ method }: { method: string }, message?: string): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed('GET, HEAD', message);
}

/** `allowed` is the value of the header Allow. */
export function methodNotAllowed(allowed: string, message = `Method not allowed; use ${allowed}.`): AppError {
  return new AppError('method_not_allowed', message, { headers: { Allow: allowed } });
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}

/** The error of a request whose client has closed the connection before the end of the body. It only ends the handling of the request. */
export function incomplete(cause?: unknown): AppError {
  return new AppError('invalid_json', 'The body is incomplete: the connection was closed.', { cause });
}

/** The same error for an unknown resource, a deleted one and one of another organization. */
export function notFound(): AppError {
  return new AppError('not_found', 'Not found.');
}

/** The same error for every reason, so that it does not reveal which part of a credential was right. */
export function unauthenticated(
  message = 'Send a valid session token or, where it is accepted, an API key.',
): AppError {
  return new AppError('unauthenticated', message, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** The same error for an unknown address, a wrong password and an organization that the user is not a member of. */
export function invalidCredentials(message = 'The email address or the password is wrong.'): AppError {
  return new AppError('invalid_credentials', message, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

export function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The service cannot reach its database; try again in a few seconds.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
    cause,
  });
}

/** The error for a short overload of this process. */
export function overloaded(message: string): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' } });
}

/**
 * Returns the handler of a failed write: it throws `conflict` if the organization already uses the name, otherwise the same
 * error. `path` is the field of the request that has the name.
 */
export function orNameTaken(path: string, name: string): (error: unknown) => never {
  return (error) => {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('conflict', `${path} ${JSON.stringify(name)} already exists.`, {
      details: [{ path, message: `"${path}" already exists` }],
      cause: error,
    });
  };
}

/** The error for an organization that has reached a quota. */
export function quotaReached(quota: Quota): AppError {
  const what = quota.replace('_', ' ').replace('api keys', 'API keys');
  return new AppError(
    'conflict',
    `Your organization has ${QUOTAS[quota]} ${what}, which is the limit. Delete some first.`,
  );
}

export { rejectedPayload };

/** The same error for a request whose body is the payload. */
export function rejectedMessage({ code, details }: ValidationFailure): AppError {
  const short = (text: string) => text.replace('payload.', '');
  return rejectedPayload({
    code,
    details: details.map(({ path, message }) => ({ path: short(path), message: short(message) })),
  });
}
