import { Cluster } from 'ioredis';
import { connectConsumer } from './connection.js';
import { queuePrefix } from './names.js';

const SCAN_COUNT = 1_000;

/** Deletes all keys of the queues of an installation, of which no process may run. Returns how many it has deleted. */
export async function deleteQueues(redisUrl: string, prefix: string): Promise<number> {
  const connection = connectConsumer(redisUrl);
  let deleted = 0;
  try {
    await connection.ping();
    const masters = connection instanceof Cluster ? connection.nodes('master') : [connection];
    // A queue has no underscore in its key, and no other prefix gives the same text: see `queuePrefix`.
    const pattern = `${queuePrefix(prefix, '*')}:*`;
    for (const master of masters) {
      for await (const keys of master.scanStream({ match: pattern, count: SCAN_COUNT })) {
        const own = (keys as string[]).filter((key) => isOfPrefix(key, prefix)); // the cast: the stream has lists of keys
        for (const key of own) deleted += await master.unlink(key);
      }
    }
  } finally {
    connection.disconnect();
  }
  return deleted;
}

/** Another prefix may begin with this one and a hyphen. */
function isOfPrefix(key: string, prefix: string): boolean {
  const name = key.slice(`{${prefix}-`.length, key.indexOf('}'));
  return /^[a-z0-9_]+$/.test(name);
}
