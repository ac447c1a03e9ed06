import { rateLimited } from '../limits/tally.js';

export interface TurnsOptions {
  atOnce: number;
  /** Whoever comes when so many wait is refused. */
  maxWaiting: number;
}

/** Lets a few run at once and the others wait for their turn, in the order in which they came. */
export type Turns = <T>(run: () => Promise<T>) => Promise<T>;

const RETRY_AFTER_S = 5;

export function createTurns({ atOnce, maxWaiting }: TurnsOptions): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    if (running < atOnce) running++;
    else if (waiting.length >= maxWaiting) throw tooBusy();
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

function tooBusy() {
  const tally = { isOver: true, limit: 0, remaining: 0, resetS: RETRY_AFTER_S, retryAfterS: RETRY_AFTER_S };
  return rateLimited('Too many passwords wait to be looked at.', tally);
}
