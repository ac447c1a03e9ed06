/**
 * The only place with deadlines of tests. They end what hangs, and decide nothing else: a slow machine must not fail a
 * test. The factor says how many times slower this machine is than the one the figures were chosen on; the runner measures
 * it once at the start (`measureSlowness`) and passes it on.
 */
const slowness = Number(process.env.TEST_SLOWNESS ?? 1);

/** How long one thing is waited for. */
export const HANG_MS = 90_000 * slowness;
/** How long one test may take, with everything that it waits for. */
export const TEST_MS = 3 * HANG_MS;
/** How long a hook may take. */
export const HOOK_MS = 3 * HANG_MS;
