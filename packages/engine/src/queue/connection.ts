import { Cluster, Redis } from 'ioredis';
import { redisNodes } from './redis-address.js';

/** To one server, or to a cluster: both take the same commands, as long as the keys of one are in one slot. */
export type Connection = Redis | Cluster;

/**
 * A connection for adding: it fails fast. Nothing queues up while Redis is away, no command is sent twice and none
 * waits longer than `commandTimeoutMs`.
 */
export function connectProducer(url: string, commandTimeoutMs: number): Connection {
  return connect(url, { enableOfflineQueue: false, commandTimeout: commandTimeoutMs, maxRetriesPerRequest: 0 });
}

/** A connection for consuming: it waits for Redis for as long as it takes, as BullMQ demands of a worker's. */
export function connectConsumer(url: string): Connection {
  return connect(url, { maxRetriesPerRequest: null });
}

interface Patience {
  enableOfflineQueue?: boolean;
  commandTimeout?: number;
  /** Null: for ever. */
  maxRetriesPerRequest: number | null;
}

const CONNECT_TIMEOUT_MS = 5_000;

function connect(url: string, patience: Patience): Connection {
  const [first, ...others] = redisNodes(url);
  const options = { ...patience, connectTimeout: CONNECT_TIMEOUT_MS };
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
