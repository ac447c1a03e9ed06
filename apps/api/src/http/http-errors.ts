import { AppError, QUOTAS, type Quota } from '@jobline/contracts';
import type { Refusal } from '@jobline/handlers';

/** Refusals that more than one place gives, so that each is always worded the same. */

const RETRY_AFTER_S = 5;

/** For what can only be looked at. */
export function refuseWriting({ method }: { method: string }, message = 'This path takes GET, HEAD.'): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new AppError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } });
}

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

/** The process has too much of a kind to do at this moment, and not too much for long. */
export function overloaded(message: string): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' } });
}

/** The organization has one of that name already. `path` is where the request has it. */
export function taken(path: string, name: string, cause: unknown): AppError {
  return new AppError('conflict', `${path} ${JSON.stringify(name)} is there already`, {
    details: [{ path, message: `"${path}" is taken` }],
    cause,
  });
}

/** The organization has as many as it may have. */
export function quotaFull(quota: Quota): AppError {
  const what = quota.replace('_', ' ').replace('api keys', 'API keys');
  return new AppError(
    'conflict',
    `Your organization has ${QUOTAS[quota]} ${what}, which is the limit. Delete some first.`,
  );
}

const REFUSALS: Record<Refusal['code'], string> = {
  validation_failed: 'The request breaks a rule; see details.',
  sender_domain_not_verified: 'The sender is not of a domain that is verified here; see details.',
  sender_not_registered: 'The sender is no sender id that is registered and approved here; see details.',
};

/** What may not be carried out. */
export function refusalError({ code, details }: Refusal): AppError {
  return new AppError(code, REFUSALS[code], { details });
}

/** The same for a request whose body is what a job would have as its payload. */
export function directRefusal({ code, details }: Refusal): AppError {
  const short = (text: string) => text.replace('payload.', '');
  return refusalError({
    code,
    details: details.map(({ path, message }) => ({ path: short(path), message: short(message) })),
  });
}
