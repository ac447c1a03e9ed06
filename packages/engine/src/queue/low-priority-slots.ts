/** Slots of a consumer for entries that are behind: it has more, which are kept for the others. */
export interface LowPrioritySlots {
  /** Takes a slot. False: none became free in time, or the waiting was ended. */
  take(): Promise<boolean>;
  release(): void;
  /** Those that wait get none. */
  cancelWaiting(): void;
}

/**
 * Long enough that jobs of a second and less find a slot before; while an entry waits, nothing else is taken from the
 * queue in its place.
 */
const WAIT_MS = 200;

export function createLowPrioritySlots(count: number): LowPrioritySlots {
  const waiting: ((isTaken: boolean) => void)[] = [];
  let free = count;

  return {
    take() {
      if (free > 0) {
        free--;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const answer = (isTaken: boolean) => {
          clearTimeout(timer);
          resolve(isTaken);
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(answer), 1);
          resolve(false);
        }, WAIT_MS);
        waiting.push(answer);
      });
    },
    release() {
      const next = waiting.shift();
      if (next) next(true);
      else free++;
    },
    cancelWaiting() {
      for (const answer of waiting.splice(0)) answer(false);
    },
  };
}
