/** Does one thing at a time. */
export type InTurn = <T>(who: string, work: () => Promise<T>) => Promise<T>;

/** One of each who waits, then the next of each: whoever wants much is waited for by nobody but themselves. */
export function createTurns(): InTurn {
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let isBusy = false;

  async function goOn(): Promise<void> {
    isBusy = true;
    for (let [next] = waiting; next; [next] = waiting) {
      const [who, [first, ...others]] = next;
      // Whoever has more goes to the end.
      waiting.delete(who);
      if (others.length > 0) waiting.set(who, others);
      await first?.();
    }
    isBusy = false;
  }

  return (who, work) =>
    new Promise((resolve, reject) => {
      const task = () => work().then(resolve, reject);
      waiting.set(who, [...(waiting.get(who) ?? []), task]);
      if (!isBusy) void goOn();
    });
}
