/** How often the watched loop shows that it turns. */
const EVERY_MS = 2;

export interface Standstills {
  /** The longest since it was asked last, in ms. */
  longestMs(): number;
  stop(): void;
}

/**
 * Watches this process's event loop. A standstill counts as far as the process used CPU time meanwhile: one that got no
 * processor, because the machine is busy, has not stood still.
 */
export function watchStandstills(): Standstills {
  let longest = 0;
  let at = performance.now();
  let used = process.cpuUsage();

  function look(): void {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    longest = Math.max(longest, Math.min(now - at, (user + system) / 1_000));
    at = now;
    used = process.cpuUsage();
  }

  const timer = setInterval(look, EVERY_MS);
  return {
    longestMs() {
      look();
      const result = longest;
      longest = 0;
      return result;
    },
    stop: () => clearInterval(timer),
  };
}
