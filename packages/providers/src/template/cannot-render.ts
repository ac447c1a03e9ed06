import { PermanentError } from '@jobline/handlers/errors';

/** An error in a template is permanent: a retry fails in the same way. */
export function cannotRender(reason: string, cause?: unknown): PermanentError {
  return new PermanentError(`the template cannot be rendered: ${reason.slice(0, 300)}`, {
    code: 'invalid_payload',
    cause,
  });
}
