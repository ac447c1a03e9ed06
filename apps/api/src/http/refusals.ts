import { AppError } from '@jobline/contracts';

/** Refusals that more than one place gives, so that each is always worded the same. */

const RETRY_AFTER_S = 5;

/** The same for what never was, is no more and belongs to others. */
export function notFound(): AppError {
  return new AppError('not_found', 'There is nothing here, or it is not yours.');
}

/** The same for every reason, so that nobody learns which part of a credential was right. */
export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'A valid credential is needed: a session token or, for jobs, an API key.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** The same for an unknown address, a wrong password and an organization that is not theirs. */
export function invalidCredentials(): AppError {
  return new AppError('invalid_credentials', 'The email address or the password is wrong.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

export function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The service cannot reach its database; try again in a few seconds.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
    cause,
  });
}
