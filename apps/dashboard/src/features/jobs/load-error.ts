import { ApiError } from '../../api/api-error.js';

/** What ErrorState says of a failure: what could not be loaded, why, and the id that the server's log has it under. */
export function loadError(error: Error, what: string): { message: string; requestId: string | null } {
  return {
    message: `${what} could not be loaded. ${error.message}`,
    requestId: error instanceof ApiError ? error.requestId : null,
  };
}
