/** Runs the work as soon as fewer than the limit are running, in the order of the calls. */
export type ConcurrencyLimiter = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export interface QueueLimit {
  /** A call is rejected with `error` while so many others wait. */
  length: number;
  error(): Error;
}

/**
 * Limits how many calls run their work at the same time. Work whose signal fires while it waits never starts, and its call rejects
 * with the signal's reason. Without `queueLimit` the callers must bound how many wait.
 */
export function limitConcurrency(count: number, queueLimit?: QueueLimit): ConcurrencyLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;

  function enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (running < count) {
      running++;
      return undefined;
    }
    if (queueLimit && waiting.length >= queueLimit.length) throw queueLimit.error();
    return new Promise((resolve, reject) => {
      const abandon = () => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      };
      waiting.push(start);
      signal?.addEventListener('abort', abandon, { once: true });
    });
  }

  /** The slot goes to the next in the queue, or becomes free. */
  function leave(): void {
    const start = waiting.shift();
    if (start) start();
    else running--;
  }

  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
