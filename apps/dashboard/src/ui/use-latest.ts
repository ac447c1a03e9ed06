import { type RefObject, useEffect, useRef } from 'react';

/** A reference to the value of the last render, for timers and listeners that live longer than a render. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Returns a function that calls `run` after `ms`, once for all calls within this time, and not after the unmount. */
export function useDelayed(run: () => void, ms: number | (() => number)): () => void {
  const latest = useLatest({ run, ms });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    const { ms } = latest.current;
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        latest.current.run();
      },
      typeof ms === 'number' ? ms : ms(),
    );
  };
}
