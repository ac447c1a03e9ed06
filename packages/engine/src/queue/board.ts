import { Queue } from 'bullmq';
import { createGuardedConnection } from './guarded-connection.js';
import { queuePrefix } from './names.js';
import type { ProducerOptions } from './producer.js';

/**
 * The queues of BullMQ, for a board to show. The board must not change them, because Postgres would not know about the
 * change.
 */
export type ShownQueues = ReturnType<typeof showQueues>;

/**
 * Longer than the limit of an add, because the board reads lists. It has its own connection, so it delays nothing
 * else.
 */
const TIMEOUT_MS = 2_000;

/** The name of this connection in errors and metrics. */
const NAME = 'board';

/** How many queues the board has shown since its process started. */
const MAX_SHOWN = 100;

/** `listQueues` returns the names of the queues to show, the built-in ones included. */
export function showQueues({
  redisUrl,
  prefix,
  listQueues,
  events,
}: Omit<ProducerOptions, 'timeoutMs'> & { listQueues: () => Promise<readonly string[]> }) {
  const guarded = createGuardedConnection({ redisUrl, name: NAME, timeoutMs: TIMEOUT_MS, events });
  const shown = new Map<string, Queue>();

  function open(name: string): Queue {
    const queue = new Queue(name, {
      connection: guarded.connection,
      prefix: queuePrefix(prefix, name),
      skipVersionCheck: true,
      skipMetasUpdate: true,
    });
    queue.on('error', (error) => events.emit('queue.error', { queue: NAME, error }));
    return queue;
  }

  return {
    /** All queues that were shown before, and the new ones. */
    async queues(): Promise<readonly Queue[]> {
      for (const name of await listQueues())
        if (!shown.has(name) && shown.size < MAX_SHOWN) shown.set(name, open(name));
      return [...shown.values()];
    },
    /** Whether Redis answers now. BullMQ itself would wait for it without a limit. */
    isAnswering: async () => (await guarded.request((redis) => redis.ping())) !== null,
    // The queues share this connection and hold nothing else.
    close: guarded.close,
  };
}
