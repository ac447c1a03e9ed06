/**
 * The only place with deadlines of tests. They end what hangs and decide nothing else: a slow machine must not fail a test.
 * The slowness says how many times slower this machine is than the one the figures were chosen on; the configuration of the
 * runner measures it once at the start and passes it on.
 */
export function limitsFor(slowness: number): { hangMs: number; testMs: number } {
  const hangMs = Math.round(90_000 * slowness);
  return { hangMs, testMs: 3 * hangMs };
}

/** How long one thing is waited for. */
export const HANG_MS = limitsFor(Number(process.env.TEST_SLOWNESS ?? 1)).hangMs;
