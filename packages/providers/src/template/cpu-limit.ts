import type { Context } from 'liquidjs';

/**
 * Applies the render limit of a context to processor time as well, because a rendering may take longer than its limit
 * on a busy machine. The limit is exceeded when both the clock time and the processor time of this process exceed it.
 */
export function limitByCpu(context: Context, limitMs: number): Context {
  const { renderLimit } = context;
  const checkClock = renderLimit.check.bind(renderLimit);
  const before = process.cpuUsage();
  let nextCheckAt = performance.now() + limitMs;
  renderLimit.check = (now) => {
    if (now < nextCheckAt) return;
    const leftMs = limitMs - cpuMsSince(before);
    if (leftMs <= 0) checkClock(now);
    nextCheckAt = now + leftMs;
  };
  return context;
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
