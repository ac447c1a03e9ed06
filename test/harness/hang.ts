/**
 * The only place with time limits of tests. They end tests that hang and decide nothing else: a slow machine must not
 * fail a test. `slowness` is how many times slower this machine is than the one for which the limits were chosen; the
 * configuration of the runner measures it once at the start and passes it on.
 */
export function limitsFor(slowness: number): { hangMs: number; testMs: number } {
  const hangMs = Math.round(180_000 * slowness);
  return { hangMs, testMs: 3 * hangMs };
}

/** How long a test waits for one condition. */
export const HANG_MS = limitsFor(Number(process.env.TEST_SLOWNESS ?? 1)).hangMs;
