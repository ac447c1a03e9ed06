import { pause } from '@jobline/runtime';
import { HANG_MS } from './hang.js';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/**
 * Repeats the call until its result is truthy, and returns the result. Otherwise fails with the name of the condition:
 * the limit only ends a hang, so no test passes its own limit.
 */
export async function until<T>(
  what: string | (() => string),
  ask: () => T | Promise<T>,
): Promise<Exclude<T, null | undefined | false | 0 | ''>> {
  const end = performance.now() + HANG_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    // The cast: a truthy value is none of the excluded ones.
    if (answer) return answer as Exclude<T, null | undefined | false | 0 | ''>;
    if (performance.now() > end)
      throw new Error(
        `gave up after ${Math.round(HANG_MS / 1_000)} s waiting for ${typeof what === 'string' ? what : what()}`,
      );
    await pause(pauseMs);
  }
}
