/** The slots of a consumer for low-priority entries. Its other slots are reserved for normal entries. */
export interface LowPrioritySlots {
  /** Takes a slot. Returns false if none became free in time, or if the waiting was canceled. */
  take(): Promise<boolean>;
  release(): void;
  /** Cancels the waiting: those that wait get no slot. */
  cancelWaiting(): void;
}

/**
 * Long enough that short jobs, of a second or less, free a slot before. While an entry waits, its slot of the consumer
 * takes no other entry.
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
