import type { Startable } from '../servers/server.js';
import { describeExit, pause } from './child.js';
import { reasonOf } from './plain-error.js';

export interface Kept {
  /** Ends what runs and starts nothing again. */
  stop(hurry: AbortSignal): Promise<void>;
}

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;
/** What has run for so long is not in a loop of failures. */
const SETTLED_MS = 30_000;

/** Starts what has ended again, sooner the first time than after many. `startable` has been started already. */
export function keepRunning(startable: Startable, say: (line: string) => void): Kept {
  const stopping = new AbortController();

  async function keep(): Promise<void> {
    for (let delayMs = FIRST_DELAY_MS; ; ) {
      const startedAt = performance.now();
      const exit = await startable.exited();
      if (performance.now() - startedAt > SETTLED_MS) delayMs = FIRST_DELAY_MS;
      let what = `${startable.name} ended (${describeExit(exit)})`;
      for (let isUp = false; !isUp; ) {
        if (stopping.signal.aborted) return;
        say(`${what}: starting it again in ${delayMs / 1000} s.`);
        await pause(delayMs, stopping.signal);
        if (stopping.signal.aborted) return;
        delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
        try {
          await startable.start();
          isUp = true;
        } catch (error) {
          what = reasonOf(error);
        }
      }
    }
  }

  const kept = keep();
  return {
    async stop(hurry) {
      stopping.abort();
      await startable.stop(hurry);
      await kept;
    },
  };
}
