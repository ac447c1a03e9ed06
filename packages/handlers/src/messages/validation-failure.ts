import type { JobErrorCode } from '@jobline/contracts';
import { PermanentError } from '../errors.js';
import type { ValidationFailure } from '../ports/compose.js';

/** The error that a validation failure becomes in a running job. A retry would fail in the same way. */
export function validationError({ code, details }: ValidationFailure): PermanentError {
  const jobCode: JobErrorCode = code === 'validation_failed' ? 'invalid_payload' : code;
  return new PermanentError(details.map(({ message }) => message).join('; '), { code: jobCode });
}
