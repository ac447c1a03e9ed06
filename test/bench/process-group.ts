import type { Process } from './processes.js';

/** Several processes as one. A call divides its first argument, the number of jobs, among them. */
export function groupOf(name: string, processes: readonly Process[]): Process {
  const [first] = processes;
  if (!first || processes.length === 1) return first ?? missing(name);
  return {
    name,
    // Only for a caller that waits for it: processes that never report that they are ready reject it when they end.
    get ready() {
      return Promise.all(processes.map((one) => one.ready)).then(() => undefined);
    },
    async call(method, count = 0, ...args) {
      const shares = processes.map((_, n) => Math.floor((count + n) / processes.length));
      const loads = await Promise.all(processes.map((one, n) => one.call(method, shares[n] ?? 0, ...args)));
      return {
        startedAt: Math.min(...loads.map(({ startedAt }) => startedAt)),
        endedAt: Math.max(...loads.map(({ endedAt }) => endedAt)),
      };
    },
    onRan(listener) {
      for (const one of processes) one.onRan(listener);
    },
    memory: () => null,
    cpuMs: () => processes.reduce((sum, one) => sum + (one.cpuMs() ?? 0), 0),
    stop: async () => void (await Promise.all(processes.map((one) => one.stop()))),
  };
}

function missing(name: string): never {
  throw new Error(`${name} has no processes`);
}
