import { orAbort } from './reject-on-abort.js';

/** Lets so many works run at once; the others wait in line. What its signal reaches while it waits is never begun. */
export function createSlots(count: number): <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T> {
  let free = count;
  const line: (() => void)[] = [];

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      return;
    }
    let comeIn: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      comeIn = resolve;
      line.push(comeIn);
    });
    try {
      await orAbort(signal, turn);
    } catch (error) {
      const place = line.indexOf(comeIn);
      // Its turn had come in the same moment: it goes to the next.
      if (place < 0) leave();
      else line.splice(place, 1);
      throw error;
    }
  }

  function leave(): void {
    const next = line.shift();
    if (next) next();
    else free++;
  }

  return async (signal, work) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
