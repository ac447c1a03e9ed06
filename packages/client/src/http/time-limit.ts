/** Runs a task with a signal that is aborted after the time limit, or with the signal of the caller. */
export async function withTimeLimit<T>(
  limit: { timeoutMs: number; signal?: AbortSignal | undefined; onTimeout: () => Error },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal, onTimeout } = limit;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => controller.abort(onTimeout()), timeoutMs);
  try {
    return await run(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Rejects with the reason of the signal as soon as it is aborted, whatever becomes of the promise. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Resolves after a delay. Rejects with the reason of the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await (signal ? untilAborted(elapsed, signal) : elapsed);
  } finally {
    clearTimeout(timer);
  }
}
