import { Redis } from 'ioredis';

/**
 * A connection for adding: it fails fast. Nothing queues up while Redis is away, no command is sent twice and none
 * waits longer than `commandTimeoutMs`.
 */
export function connectProducer(url: string, commandTimeoutMs: number): Redis {
  return connect(url, { enableOfflineQueue: false, commandTimeout: commandTimeoutMs, maxRetriesPerRequest: 0 });
}

/** A connection for consuming: it waits for Redis for as long as it takes, as BullMQ demands of a worker's. */
export function connectConsumer(url: string): Redis {
  return connect(url, { maxRetriesPerRequest: null });
}

interface Patience {
  enableOfflineQueue?: boolean;
  commandTimeout?: number;
  /** Null: for ever. */
  maxRetriesPerRequest: number | null;
}

function connect(url: string, options: Patience): Redis {
  return new Redis(url, { ...options, connectTimeout: 5_000, retryStrategy: (times) => Math.min(100 * times, 1_000) });
}
