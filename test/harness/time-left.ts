import { type Durations, secondsOf } from './durations.js';

/** Estimates how long a run still takes, from the durations of its files in an earlier run and from its own speed. */
export interface TimeLeft {
  start(path: string, now: number): void;
  end(path: string): void;
  /** Milliseconds. `now` and `startedAt` are times of the same clock in milliseconds. */
  estimate(now: number): number;
}

export function createTimeLeft(
  paths: readonly string[],
  { durations, workers, startedAt }: { durations: Durations; workers: number; startedAt: number },
): TimeLeft {
  const expectedMs = (path: string) => secondsOf(durations, path) * 1_000;
  const all = paths.reduce((sum, path) => sum + expectedMs(path), 0);
  const running = new Map<string, number>();
  let finished = 0;

  return {
    start(path, now) {
      running.set(path, now);
    },
    end(path) {
      running.delete(path);
      finished += expectedMs(path);
    },
    estimate(now) {
      const begun = [...running].map(([path, since]) => Math.min(now - since, expectedMs(path)));
      const done = begun.reduce((sum, ms) => sum + ms, finished);
      // How much of the durations passes in a millisecond. At first it is assumed to be the number of workers.
      const elapsed = now - startedAt;
      const speed = (done + ASSUMED_MS * workers) / (elapsed + ASSUMED_MS);
      const longest = [...running].map(([path, since]) => expectedMs(path) - (now - since));
      return Math.max(0, (all - done) / speed, ...longest);
    },
  };
}

/** How long the assumed speed weighs as much as the measured one. */
const ASSUMED_MS = 20_000;
