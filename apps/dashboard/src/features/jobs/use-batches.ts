import { useEffect, useRef } from 'react';
import type { Job } from './filters.js';
import { addChange, type Changes } from './job-list.js';

/** The page renders changes at most twice a second. */
const MIN_INTERVAL_MS = 500;

/** Returns a function that collects changes and applies them in batches. The first change is applied immediately. */
export function useBatches(apply: (changes: Changes) => void): (job: Job) => void {
  const latest = useRef(apply);
  useEffect(() => {
    latest.current = apply;
  });
  const waiting = useRef(new Map<string, Job>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const appliedAt = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  const flush = () => {
    const changes = waiting.current;
    waiting.current = new Map();
    appliedAt.current = Date.now();
    latest.current(changes);
  };
  return (job) => {
    if (waiting.current.size === 0) {
      timer.current = setTimeout(flush, Math.max(0, appliedAt.current + MIN_INTERVAL_MS - Date.now()));
    }
    addChange(waiting.current, job);
  };
}
