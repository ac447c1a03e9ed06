import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startRedis } from '@jobline/devstack';
import { redisNodes } from '@jobline/engine';
import { Redis } from 'ioredis';
import { redisUrl } from './services.js';

/** A Redis that one test may flush, kill and start again. */
export interface OwnRedis {
  url: string;
  server: Server;
  flushAll(): Promise<void>;
  end(): Promise<void>;
}

/** The Redis of whole apps, which have no prefix: a separate Redis, or the Redis Cluster of the tests. */
export type SharedRedis = Pick<OwnRedis, 'url' | 'end'>;

export async function startSharedRedis(): Promise<SharedRedis> {
  const isCluster = redisNodes(redisUrl()).length > 1;
  return isCluster ? { url: redisUrl(), end: async () => undefined } : startOwnRedis();
}

/** With settings in addition to those of the tests, e.g. `{ 'maxmemory-policy': 'allkeys-lru' }`. */
export async function startOwnRedis(settings: Record<string, string> = {}): Promise<OwnRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-redis-'));
  const server = await startRedis({ dir, settings: { appendonly: 'no', ...settings } });
  return {
    url: server.url,
    server,
    async flushAll() {
      const client = new Redis(server.url);
      await client.flushall();
      client.disconnect();
    },
    async end() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
