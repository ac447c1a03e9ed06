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

export interface Loop {
  /** Ends the pause before the next call. */
  wake(): void;
  /** Stops the loop and waits for the current call. */
  stop(): Promise<void>;
}

/**
 * Calls `work` repeatedly, never twice at the same time. The next call follows after the time in ms that it returned,
 * or when it is woken.
 */
export function repeat(work: () => Promise<number>): Loop {
  let isStopped = false;
  let wake = new AbortController();
  const loop = (async () => {
    while (!isStopped) {
      // Created before the call, so that a wake-up during the call is not missed.
      wake = new AbortController();
      const waitMs = await work();
      if (!isStopped) await pause(waitMs, wake.signal);
    }
  })();
  return {
    wake: () => wake.abort(),
    async stop() {
      isStopped = true;
      wake.abort();
      await loop;
    },
  };
}

/** Calls `work` every `ms`, never twice at the same time. */
export function every(ms: number, work: () => Promise<void>): Loop {
  return repeat(async () => {
    await work();
    return ms;
  });
}

export async function stopAll(loops: readonly Pick<Loop, 'stop'>[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop.stop()));
}
