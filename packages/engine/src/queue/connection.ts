import { Cluster, Redis } from 'ioredis';

/**
 * A connection to one server or to a cluster. Both accept the same commands if all keys of a command are in one slot.
 */
export type Connection = Redis | Cluster;

/**
 * Opens a connection for adding entries that fails fast: no command is queued while Redis is down, none is sent twice,
 * and none waits longer than `commandTimeoutMs`.
 */
export function connectProducer(url: string, commandTimeoutMs: number): Connection {
  return connect(url, { enableOfflineQueue: false, commandTimeout: commandTimeoutMs, maxRetriesPerRequest: 0 });
}

/** Opens a connection for consuming that waits for Redis without a limit, as BullMQ requires for a worker. */
export function connectConsumer(url: string): Connection {
  return connect(url, { maxRetriesPerRequest: null });
}

interface RetryOptions {
  enableOfflineQueue?: boolean;
  commandTimeout?: number;
  /** If it is null, commands wait without a limit. */
  maxRetriesPerRequest: number | null;
}

const CONNECT_TIMEOUT_MS = 5_000;

function connect(url: string, retries: RetryOptions): Connection {
  const [first, ...others] = redisNodes(url);
  const options = { ...retries, connectTimeout: CONNECT_TIMEOUT_MS };
  if (!first || others.length === 0) return new Redis(url, { ...options, retryStrategy: backoffMs });

  const { enableOfflineQueue = true, ...redisOptions } = options;
  return new Cluster(
    [first, ...others].map(({ hostname, port }) => ({ host: hostname, port: Number(port || 6379) })),
    {
      enableOfflineQueue,
      clusterRetryStrategy: backoffMs,
      redisOptions: {
        ...redisOptions,
        ...(first.username && { username: decodeURIComponent(first.username) }),
        ...(first.password && { password: decodeURIComponent(first.password) }),
        ...(first.protocol === 'rediss:' && { tls: {} }),
      },
    },
  );
}

function backoffMs(times: number): number {
  return Math.min(100 * times, 1_000);
}

/** Parses the address of Redis: one server, or some nodes of a cluster. */

import { parseUrl } from '@jobline/handlers';

const SCHEMES = ['redis:', 'rediss:'];

/** Returns what is wrong with the value of REDIS_URL, or null if it is valid. */
export function redisUrlProblem(text: string): string | null {
  const nodes = split(text).map((part) => parseUrl(part));
  if (!nodes.every(isRedis)) {
    return 'must be a redis:// or rediss:// address, or the comma-separated addresses of some nodes of a cluster';
  }
  const [first, ...others] = nodes;
  if (others.length > 0 && [first, ...others].some((url) => url && !/^\/?0?$/.test(url.pathname))) {
    return 'must not contain a database: a cluster has only one';
  }
  if (others.some((url) => url.protocol !== first?.protocol)) return 'must have the same scheme for every node';
  if (others.some(({ username, password }) => username + password !== '')) {
    return 'must contain the user and password only in the first node: they apply to the whole cluster';
  }
  return null;
}

/**
 * Returns the nodes in REDIS_URL. One node means a server that is not a cluster. Nodes after the first may omit the
 * scheme, for example `redis://user:password@a:6379,b:6379`.
 */
export function redisNodes(text: string): URL[] {
  return split(text).map((part) => new URL(part));
}

function split(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  const scheme = /^\w+:\/\//.exec(parts[0] ?? '')?.[0] ?? 'redis://';
  return parts.map((part) => (part.includes('://') ? part : scheme + part));
}

function isRedis(url: URL | null): url is URL {
  return url !== null && SCHEMES.includes(url.protocol) && url.hostname !== '';
}
