import { Queue } from 'bullmq';
import type { EngineEvents } from '../events.js';
import { createGuardedConnection } from './guarded-connection.js';
import { queuePrefix } from './names.js';

/** The queues as BullMQ keeps them, for a board to show. It is to change nothing: what it did, Postgres would not know. */
export interface ShownQueues {
  readonly queues: readonly Queue[];
  /** Whether Redis answers now: BullMQ would wait for it without an end. */
  isAnswering(): Promise<boolean>;
  close(): void;
}

export interface ShowOptions {
  redisUrl: string;
  prefix: string;
  queues: readonly string[];
  events: EngineEvents;
}

/** Longer than an add may take, because lists are read: on a connection of its own, which holds up nobody else. */
const TIMEOUT_MS = 2_000;

/** What its errors are told under. */
const NAME = 'board';

export function showQueues({ redisUrl, prefix, queues, events }: ShowOptions): ShownQueues {
  const guarded = createGuardedConnection({ redisUrl, name: NAME, timeoutMs: TIMEOUT_MS, events });
  return {
    queues: queues.map((name) => {
      const queue = new Queue(name, {
        connection: guarded.connection,
        prefix: queuePrefix(prefix, name),
        skipVersionCheck: true,
        skipMetasUpdate: true,
      });
      queue.on('error', (error) => events.emit('queue.error', { queue: NAME, error }));
      return queue;
    }),
    isAnswering: async () => (await guarded.request((redis) => redis.ping())) !== null,
    // The queues share the guarded's connection and hold nothing else.
    close: guarded.close,
  };
}
