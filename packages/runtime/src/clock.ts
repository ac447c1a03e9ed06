/**
 * Monotonic milliseconds since `startedAt`, which is a value of `performance.now()`. Wall clocks can jump; this one
 * cannot.
 */
export function elapsedMs(startedAt: number): number {
  return performance.now() - startedAt;
}

/** Resolves after `ms`, or at once when the signal fires. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The promise's value, or `onTimeout()` once `ms` have passed. The promise itself is not stopped. */
export function within<T, U>(ms: number, promise: Promise<T>, onTimeout: () => U): Promise<T | U> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error);
      }
    }, ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
