import { Cluster, Redis } from 'ioredis';
import { redisNodes } from './redis-address.js';

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
