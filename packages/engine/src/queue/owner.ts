import { aborted } from './aborted.js';
import { type Connection, connectConsumer } from './connection.js';
import { ownerKey } from './names.js';

/**
 * Returns the id of the installation that owns the keys of the prefix: `id`, unless another one claimed the prefix
 * before. Deployments that share a prefix by mistake would remove each other’s entries without noticing it.
 */
export async function claimPrefix(redis: Connection, prefix: string, id: string): Promise<string> {
  const key = ownerKey(prefix);
  await redis.set(key, id, 'NX');
  return (await redis.get(key)) ?? id;
}

/**
 * The same on a separate connection, as soon as Redis answers, however long that takes. Returns null if the signal
 * fires first.
 */
export async function claimPrefixOnce(
  redisUrl: string,
  prefix: string,
  id: string,
  signal: AbortSignal,
): Promise<string | null> {
  const connection = connectConsumer(redisUrl);
  // The connections that use Redis report its errors.
  connection.on('error', () => undefined);
  try {
    return await Promise.race([claimPrefix(connection, prefix, id), aborted(signal)]);
  } finally {
    connection.disconnect();
  }
}
