import { useEffect, useRef } from 'react';
import type { Job } from './filters.js';
import type { Changes } from './job-list.js';

/** However many events come in, the page is drawn twice a second at most. */
const BATCH_MS = 500;

/** Collects changes and hands them on together, the latest of each job. */
export function useBatches(apply: (changes: Changes) => void): (job: Job) => void {
  const latest = useRef(apply);
  useEffect(() => {
    latest.current = apply;
  });
  const waiting = useRef(new Map<string, Job>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  return (job) => {
    if (waiting.current.size === 0) {
      timer.current = setTimeout(() => {
        const changes = waiting.current;
        waiting.current = new Map();
        latest.current(changes);
      }, BATCH_MS);
    }
    waiting.current.set(job.id, job);
  };
}
