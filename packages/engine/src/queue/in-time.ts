/** Number of steps into which the time limit is divided. */
const STEPS = 5;

/**
 * Rejects if `work` does not settle within `ms` of time in which this process could have received it. While the event
 * loop is busy, at most one step passes: an answer that waits in the buffer of a socket is not late.
 */
export function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = STEPS;
    let timer = setTimeout(step, ms / STEPS);

    function step(): void {
      left--;
      if (left > 0) timer = setTimeout(step, ms / STEPS);
      // The sockets are read once more before.
      else setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
    }

    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
