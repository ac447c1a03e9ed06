import { pause } from './clock.js';

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

export async function stopAll(loops: readonly Loop[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop.stop()));
}
