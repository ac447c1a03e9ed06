import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb } from '@jobline/db';
import { type Server, startPostgres, startRedis } from '@jobline/devstack';
import { type ServiceProxy, startProxy } from '../../harness/proxy.js';
import { withDatabase } from '../../harness/services.js';
import { addReplicas, CLUSTER_SETTINGS, joinCluster } from '../../harness/stack/redis-cluster.js';

export interface ServerOptions {
  /** What the apps reach through a proxy. */
  proxied?: 'postgres' | 'redis';
  /** Three masters with a replica each, instead of one Redis. */
  isCluster?: boolean;
  postgresSettings?: Record<string, string>;
  /** Prepares the empty folder of Postgres. Returns how to undo that. */
  mount?(dir: string): Promise<() => Promise<void>>;
}

/** The servers that a fault may break. */
export interface Servers {
  postgres: Server;
  /** One, or three masters and their replicas. */
  redis: Server[];
  /** In front of what is proxied. */
  proxy: ServiceProxy | null;
  redisUrl: string;
  /** Where the data of Postgres is. */
  postgresDir: string;
  /** Creates an empty database. Returns its address for the apps, and that without the proxy. */
  createDatabase(): Promise<{ url: string; directUrl: string }>;
  end(): Promise<void>;
}

/** A commit reaches the operating system, not the disk: the faults end processes, not machines. */
const POSTGRES_SETTINGS = { fsync: 'off' };
const REDIS_SETTINGS = { appendonly: 'no' };

export async function startServers({ proxied, isCluster, postgresSettings, mount }: ServerOptions): Promise<Servers> {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-faults-'));
  await chmod(dir, 0o755); // A Postgres that drops root privileges must have access.
  const postgresDir = join(dir, 'postgres-server');
  await mkdir(postgresDir);
  const unmount = await mount?.(postgresDir);
  // The log is elsewhere, so that a full disk can be read in it.
  const logFile = join(dir, 'postgres.log');
  const settings = { ...POSTGRES_SETTINGS, ...postgresSettings };
  const postgres = await startPostgres({ dir: postgresDir, logFile, settings });
  const redis = await startRedisServers(dir, isCluster ?? false);
  const directRedisUrl = redis
    .slice(0, 3)
    .map(({ url }) => url)
    .join(',');
  const proxy = proxied ? await startProxy(proxied === 'postgres' ? postgres.url : directRedisUrl) : null;
  let databases = 0;
  return {
    postgres,
    redis,
    proxy,
    redisUrl: proxy && proxied === 'redis' ? proxy.url : directRedisUrl,
    postgresDir,
    async createDatabase() {
      const name = `faults_${++databases}`;
      const admin = createDb({ url: postgres.url, poolSize: 1, onIdleError: () => undefined });
      await admin.$executeRawUnsafe(`CREATE DATABASE ${name}`);
      await admin.$disconnect();
      const directUrl = withDatabase(postgres.url, name);
      return { url: proxy && proxied === 'postgres' ? withDatabase(proxy.url, name) : directUrl, directUrl };
    },
    async end() {
      await proxy?.close();
      await Promise.all([postgres, ...redis].map((server) => server.remove()));
      await unmount?.();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function startRedisServers(dir: string, isCluster: boolean): Promise<Server[]> {
  if (!isCluster) return [await startRedis({ dir, settings: REDIS_SETTINGS })];
  const start = (n: number) =>
    startRedis({ dir: join(dir, `node-${n}`), settings: { ...REDIS_SETTINGS, ...CLUSTER_SETTINGS } });
  const nodes = await Promise.all([1, 2, 3, 4, 5, 6].map(start));
  await joinCluster(nodes.slice(0, 3));
  await addReplicas(nodes.slice(0, 3), nodes.slice(3));
  return nodes;
}
