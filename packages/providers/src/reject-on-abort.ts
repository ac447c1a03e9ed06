/** The work's result, or the signal's reason as soon as it fires. The work itself is not stopped by this. */
export async function orAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let giveUp: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
