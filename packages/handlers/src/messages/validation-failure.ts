import type { JobErrorCode } from '@jobline/contracts';
import { PermanentError } from '../errors.js';
import type { Refusal } from '../ports/compose.js';

/** A refusal where a job runs: no retry would change it. */
export function refused({ code, details }: Refusal): PermanentError {
  const jobCode: JobErrorCode = code === 'validation_failed' ? 'invalid_payload' : code;
  return new PermanentError(details.map(({ message }) => message).join('; '), { code: jobCode });
}
