import { defineHandler, type Handler } from '@jobline/handlers';
import { until } from '../harness/index.js';

/** What the handlers of the tests do and have seen. The name of a job is in its payload; its group is the part before ":". */
export interface NamedJobs {
  handlers: Handler[];
  /** Running jobs do not end meanwhile. */
  isHeld: boolean;
  /** The next attempts of these jobs fail. */
  failing: Set<string>;
  /** The jobs that run now. */
  running: Set<string>;
  /** All jobs that started, in order. */
  started: string[];
  /** The highest number of jobs of each group that ran at the same time. */
  peaks: Map<string, number>;
  /** Ends all jobs and forgets them. */
  reset(): Promise<void>;
}

export const groupOf = (name: string) => name.split(':')[0] ?? '';

export function createNamedJobs(types: readonly string[]): NamedJobs {
  async function run(payload: object): Promise<void> {
    // The cast: the tests give every job a name.
    const { name } = payload as { name: string };
    const { running, peaks } = jobs;
    running.add(name);
    jobs.started.push(name);
    const group = groupOf(name);
    const now = [...running].filter((one) => groupOf(one) === group).length;
    peaks.set(group, Math.max(peaks.get(group) ?? 0, now));
    try {
      if (jobs.isHeld) await until('the jobs to be released', () => !jobs.isHeld);
      if (jobs.failing.delete(name)) throw new Error('as the test wants');
    } finally {
      running.delete(name);
    }
  }

  const jobs: NamedJobs = {
    handlers: types.map((type) => defineHandler({ type, run })),
    isHeld: false,
    failing: new Set(),
    running: new Set(),
    started: [],
    peaks: new Map(),
    async reset() {
      jobs.isHeld = false;
      await until('all jobs to end', () => jobs.running.size === 0);
      jobs.started = [];
      jobs.failing = new Set();
      jobs.peaks = new Map();
    },
  };
  return jobs;
}
