/** Does the work when less than so many others are being done, in the order of asking. */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>;

export interface Line {
  /** Whoever comes when so many wait is refused. */
  length: number;
  refusal(): Error;
}

/** Without a line, those who wait have to be bounded by whoever asks. */
export function createAtMost(count: number, line?: Line): AtMost {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < count) running++;
    else if (line && waiting.length >= line.length) throw line.refusal();
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is given up.
      const start = waiting.shift();
      if (start) start();
      else running--;
    }
  };
}
