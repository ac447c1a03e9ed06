import { elapsedMs, pause } from '@jobline/runtime';
import { isUnavailable } from './errors.js';

const RETRY_EVERY_MS = 200;

/**
 * Repeats a write while Postgres is unavailable, for an outcome that must be recorded: what is not recorded may be done
 * a second time. The write is tried at least once. The last error is thrown once the signal has fired or `limitMs` have
 * passed.
 */
export async function untilPostgresAnswers<T>(
  write: () => Promise<T>,
  bound: { signal: AbortSignal } | { limitMs: number },
): Promise<T> {
  const startedAt = performance.now();
  const signal = 'signal' in bound ? bound.signal : undefined;
  const limitMs = 'limitMs' in bound ? bound.limitMs : Number.POSITIVE_INFINITY;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isUnavailable(error) || signal?.aborted || elapsedMs(startedAt) > limitMs) throw error;
    }
    await pause(RETRY_EVERY_MS, signal);
  }
}
