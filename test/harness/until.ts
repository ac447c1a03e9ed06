import { pause } from '@jobline/runtime';

const POLL_MS = 20;

/** The first truthy answer of `ask`. Fails with `what` it waited for when that takes longer than `limitMs`. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  limitMs = 20_000,
): Promise<Exclude<T, null | undefined | false | 0 | ''>> {
  for (const end = performance.now() + limitMs; ; await pause(POLL_MS)) {
    const answer = await ask();
    // The cast: what is truthy is none of the excluded.
    if (answer) return answer as Exclude<T, null | undefined | false | 0 | ''>;
    if (performance.now() > end) throw new Error(`gave up after ${limitMs} ms waiting for ${what}`);
  }
}
