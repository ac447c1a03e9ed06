import { useEffect, useState } from 'react';

/** The time, anew every second while something on the page counts; else as it last was. */
export function useClock(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const tick = () => setNow(Date.now());
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
