/**
 * Resolves with null when the signal fires, because closing its connection does not end a command that waits for
 * Redis.
 */
export function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
