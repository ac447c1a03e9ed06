import { isUnavailable } from '@jobline/db';
import { pause } from '@jobline/runtime';

const RETRY_EVERY_MS = 500;

/**
 * Writes what came of a call, again and again while Postgres is away: what is not on record is not known to whoever
 * comes next, and may be done twice. Once at least, even if the signal has fired.
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
