import type { JobErrorCode } from '@jobline/contracts';
import { PermanentError } from '../errors.js';
import type { ValidationFailure } from '../ports/compose.js';

/** A refusal where a job runs: no retry would change it. */
export function validationError({ code, details }: ValidationFailure): PermanentError {
  const jobCode: JobErrorCode = code === 'validation_failed' ? 'invalid_payload' : code;
  return new PermanentError(details.map(({ message }) => message).join('; '), { code: jobCode });
}
