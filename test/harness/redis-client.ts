import { once } from 'node:events';
import { redisNodes } from '@jobline/engine';
import { Cluster, Redis } from 'ioredis';

/** A client of the Redis, or the Redis Cluster, at a URL. The caller disconnects it. */
export function openRedis(url: string): Redis | Cluster {
  const nodes = redisNodes(url).map(({ hostname, port }) => ({ host: hostname, port: Number(port) }));
  return nodes.length > 1 ? new Cluster(nodes) : new Redis(url);
}

/** The keys that match a pattern, on every node. */
export async function keysLike(client: Redis | Cluster, pattern: string): Promise<string[]> {
  // A cluster knows its nodes once it is connected.
  if (client instanceof Cluster && client.status !== 'ready') await once(client, 'ready');
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  return (await Promise.all(nodes.map((node) => node.keys(pattern)))).flat();
}

/**
 * The ids of the entries that wait in the io queue of a prefix, in the order in which they are taken: those of low priority
 * come after all others.
 */
export async function waitingEntries(client: Redis | Cluster, prefix: string): Promise<string[]> {
  const list = (name: string) => `{${prefix}-io}:io:${name}`;
  const [soon, later] = await Promise.all([
    client.lrange(list('wait'), 0, -1),
    client.zrange(list('prioritized'), '0', '-1'),
  ]);
  // The next entry is the last of the list.
  return [...soon.reverse(), ...later];
}
