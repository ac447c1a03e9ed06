import { ApiError } from '../../api/api-error.js';

/** Returns the props of ErrorState for a failed request: what could not be loaded, why, and the request id. */
export function loadError(error: Error, what: string): { message: string; requestId: string | null } {
  return {
    message: `${what} could not be loaded. ${error.message}`,
    requestId: error instanceof ApiError ? error.requestId : null,
  };
}
