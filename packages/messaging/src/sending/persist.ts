import { isUnavailable } from '@jobline/db';
import { pause } from '@jobline/runtime';

const RETRY_EVERY_MS = 500;

/**
 * Records the result of a call, and retries while Postgres is unavailable: an unrecorded message is unknown to the next
 * attempt and may be sent twice. Tries at least once, even if the signal is aborted.
 */
export async function persist<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted) throw error;
      await pause(RETRY_EVERY_MS, signal);
    }
  }
}
