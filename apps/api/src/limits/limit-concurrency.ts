/** Runs the work as soon as fewer than the limit are running, in the order of the calls. */
export type ConcurrencyLimiter = <T>(work: () => Promise<T>) => Promise<T>;

export interface QueueLimit {
  /** With this many calls waiting, the next one is rejected. */
  length: number;
  error(): Error;
}

/** Without a queue limit, the caller must bound the number of waiting calls. */
export function limitConcurrency(max: number, queueLimit?: QueueLimit): ConcurrencyLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < max) running++;
    else if (queueLimit && waiting.length >= queueLimit.length) throw queueLimit.error();
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      // The first waiting call takes over; without one, a slot becomes free.
      const start = waiting.shift();
      if (start) start();
      else running--;
    }
  };
}
