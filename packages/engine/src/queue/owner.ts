import type { Connection } from './connection.js';
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
