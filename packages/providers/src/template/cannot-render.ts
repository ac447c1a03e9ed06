import { PermanentError } from '@jobline/handlers/errors';

/** Whatever is wrong with a template, it is so on every attempt. */
export function cannotRender(reason: string, cause?: unknown): PermanentError {
  return new PermanentError(`the template cannot be rendered: ${reason.slice(0, 300)}`, {
    code: 'invalid_payload',
    cause,
  });
}
