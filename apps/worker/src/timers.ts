import { pause } from '@jobline/runtime';

export interface Loop {
  /** Ends the pause before the next call. */
  wake(): void;
  /** Waits for the last call. */
  stop(): Promise<void>;
}

/** Calls `work` again and again, never twice at once, each time after as many ms as it answered, or when woken. */
export function repeat(work: () => Promise<number>): Loop {
  let isStopped = false;
  let wake = new AbortController();
  const loop = (async () => {
    while (!isStopped) {
      // Made before the call: what wakes it meanwhile is not missed.
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

/** Calls `work` every `ms`, never twice at once, until the returned function is called; that waits for the last call. */
export function every(ms: number, work: () => Promise<void>): () => Promise<void> {
  return repeat(async () => {
    await work();
    return ms;
  }).stop;
}
