import { aborted } from './aborted.js';
import { type Connection, connectConsumer } from './connection.js';
import { ownerKey } from './names.js';

/**
 * The id of the installation whose keys those of the prefix are: `id`, if no other one was there before. Deployments that
 * share a prefix by mistake drop each other's entries, and neither would notice.
 */
export async function claimPrefix(redis: Connection, prefix: string, id: string): Promise<string> {
  const key = ownerKey(prefix);
  await redis.set(key, id, 'NX');
  return (await redis.get(key)) ?? id;
}

/** The same on a connection of its own, once Redis answers, however long that takes; null if the signal fires before. */
export async function claimPrefixOnce(
  redisUrl: string,
  prefix: string,
  id: string,
  signal: AbortSignal,
): Promise<string | null> {
  const connection = connectConsumer(redisUrl);
  // The connections that work with Redis report its errors.
  connection.on('error', () => undefined);
  try {
    return await Promise.race([claimPrefix(connection, prefix, id), aborted(signal)]);
  } finally {
    connection.disconnect();
  }
}
