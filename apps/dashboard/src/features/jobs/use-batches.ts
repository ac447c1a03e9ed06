import { useEffect, useRef } from 'react';
import type { Job } from './filters.js';
import { type Changes, noteChange } from './job-list.js';

/** However much happens, the page is drawn twice a second at most. */
const APART_MS = 500;

/** Hands changes on, the first at once and then together, the latest of each job. */
export function useBatches(apply: (changes: Changes) => void): (job: Job) => void {
  const latest = useRef(apply);
  useEffect(() => {
    latest.current = apply;
  });
  const waiting = useRef(new Map<string, Job>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const appliedAt = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  const hand = () => {
    const changes = waiting.current;
    waiting.current = new Map();
    appliedAt.current = Date.now();
    latest.current(changes);
  };
  return (job) => {
    if (waiting.current.size === 0) {
      timer.current = setTimeout(hand, Math.max(0, appliedAt.current + APART_MS - Date.now()));
    }
    noteChange(waiting.current, job);
  };
}
