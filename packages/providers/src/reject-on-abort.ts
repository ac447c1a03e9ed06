/** The result of the work, or the signal's reason as soon as the signal is aborted. The work itself is not stopped. */
export async function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
