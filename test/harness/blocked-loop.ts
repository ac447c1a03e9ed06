/** Interval of the timer that the watched loop runs, in ms. */
const EVERY_MS = 2;

export interface BlockedLoop {
  /** The longest time that the event loop was blocked since the last call, in ms. */
  longestMs(): number;
  stop(): void;
}

/**
 * Watches this process's event loop. Blocked time counts only as far as the process used CPU time meanwhile: a process
 * that got no processor, because the machine is busy, was not blocked.
 */
export function watchBlockedLoop(): BlockedLoop {
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
