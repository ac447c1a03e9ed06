let aheadMs = 0;

/**
 * Moves the clock forward for everything in this process that measures it with `performance.now()`, such as what is kept in
 * memory for some seconds. Timers are not affected. The clock is never set back, because a monotonic clock is not.
 */
export function letTimePass(ms: number): void {
  if (aheadMs === 0) {
    const now = performance.now.bind(performance);
    performance.now = () => now() + aheadMs;
  }
  aheadMs += ms;
}
