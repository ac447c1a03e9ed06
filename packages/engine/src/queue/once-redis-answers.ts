import { type Connection, connectConsumer } from './connection.js';

/**
 * Returns the answer of a command on a separate connection, as soon as Redis answers, however long that takes. Returns
 * null if the signal fires first.
 */
export async function onceRedisAnswers<T>(
  redisUrl: string,
  signal: AbortSignal,
  command: (redis: Connection) => Promise<T>,
): Promise<T | null> {
  const connection = connectConsumer(redisUrl);
  // The connections that use Redis report its errors.
  connection.on('error', () => undefined);
  try {
    return await Promise.race([command(connection), aborted(signal)]);
  } finally {
    connection.disconnect();
  }
}

/** Resolves when the signal fires. A command that waits for Redis does not end when its connection is closed. */
function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
