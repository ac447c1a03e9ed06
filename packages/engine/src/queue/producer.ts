import type { Enqueueable } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { Queue } from 'bullmq';
import type { EngineEvents } from '../events.js';
import { createGuardedConnection, type GuardedConnection } from './guarded-connection.js';
import { ENTRY_NAME, entryId, entryKey, queuePrefix } from './names.js';
import { claimPrefix } from './owner.js';
import { createPubSub, type PubSub } from './pubsub.js';
import { readLists } from './read-lists.js';

/** An entry to add: the add's number and how long until it may be delivered. */
export interface Entry extends Enqueueable {
  delayMs: number;
  /** After all in its queue that are not. */
  isLowPriority?: boolean;
}

/** The end of the queues that adds. Never waits for Redis, never throws because of it. */
export interface Producer extends PubSub {
  /**
   * Adds entries. False: Redis is away or did not answer in time, and nobody knows which were added. Entries of queues that
   * this version does not know are left out and reported; the processes that know them add them.
   */
  add(entries: readonly Entry[]): Promise<boolean>;
  /** Takes an entry out of its queue, unless it is being delivered. Nobody waits for it. */
  drop(entry: Enqueueable): void;
  /** Which entries Redis has, in order; null if it did not answer. */
  present(entries: readonly Enqueueable[]): Promise<boolean[] | null>;
  /**
   * Which entries are in one of the lists that a worker gets them from, in order; null if Redis did not answer. An entry that
   * is present but in no list, because Redis has evicted the list, is never delivered. Reads the lists, so it costs more.
   */
  listed(entries: readonly Enqueueable[]): Promise<boolean[] | null>;
  /** The id of the installation whose queues these are: `id`, unless another one was first. Null if Redis did not answer. */
  claimPrefix(id: string): Promise<string | null>;
  /** Whether this version has the queue. */
  knows(queue: string): boolean;
  /** How many ms Redis takes to answer; null if it does not. */
  ping(): Promise<number | null>;
  /** Calls back whenever Redis can be asked again. */
  onReady(listener: () => void): void;
  close(): Promise<void>;
}

export interface ProducerOptions {
  redisUrl: string;
  prefix: string;
  queues: readonly string[];
  events: EngineEvents;
  /** How long an add may take. */
  timeoutMs?: number;
}

/** BullMQ takes those without a priority first. */
const LOW_PRIORITY = 1;
/** BullMQ never gives up on an entry by itself: Postgres counts. */
const ATTEMPTS = 1_000_000_000;
const TIMEOUT_MS = 250;

export function createProducer(options: ProducerOptions): Producer {
  const { redisUrl, prefix, events, timeoutMs = TIMEOUT_MS } = options;
  const guarded = createGuardedConnection({ redisUrl, timeoutMs, events });
  const queues = openQueues(guarded, options);

  async function addTo(name: string, group: readonly Entry[]): Promise<boolean> {
    const queue = queues.get(name);
    if (queue) return (await guarded.request(() => queue.addBulk(group.map(toBullJob)))) !== null;
    const error = new Error(`this version has no queue "${name}": ${group.length} jobs wait for one that has it`);
    events.emit('step.failed', { step: 'enqueue', error });
    return true;
  }

  return {
    ...createPubSub(guarded, options),

    async add(entries) {
      const answers = await Promise.all(groupByQueue(entries).map(([name, group]) => addTo(name, group)));
      return answers.every((isAdded) => isAdded);
    },

    drop({ key, queue, seq }) {
      guarded.send(async () => queues.get(queue)?.remove(entryId(key, seq)));
    },

    async present(entries) {
      const found = new Set<Enqueueable>();
      // A pipeline for each queue: they may be on different nodes of a cluster.
      for (const [queue, group] of groupByQueue(entries)) {
        const answers = await guarded.request((redis) => {
          const pipeline = redis.pipeline();
          for (const { key, seq } of group) pipeline.exists(entryKey(prefix, queue, entryId(key, seq)));
          return pipeline.exec();
        });
        if (!answers || answers.some(([error]) => error)) return null;
        for (const [i, entry] of group.entries()) if (answers[i]?.[1] === 1) found.add(entry);
      }
      return entries.map((entry) => found.has(entry));
    },

    async listed(entries) {
      const found = new Set<Enqueueable>();
      for (const [queue, group] of groupByQueue(entries)) {
        const ids = group.map(({ key, seq }) => entryId(key, seq));
        const isListed = await readLists(guarded, prefix, queue, ids);
        if (!isListed) return null;
        for (const [i, entry] of group.entries()) if (isListed[i]) found.add(entry);
      }
      return entries.map((entry) => found.has(entry));
    },

    claimPrefix: (id) => guarded.request((redis) => claimPrefix(redis, prefix, id)),

    knows: (queue) => queues.has(queue),

    async ping() {
      const askedAt = performance.now();
      return (await guarded.request((redis) => redis.ping())) === null ? null : elapsedMs(askedAt);
    },

    onReady: guarded.onReady,

    async close() {
      // The queues share the guarded's connection and hold nothing else; BullMQ's own close() can hang without Redis.
      guarded.close();
    },
  };
}

function openQueues(
  { connection }: GuardedConnection,
  { queues, prefix, events }: ProducerOptions,
): ReadonlyMap<string, Queue> {
  return new Map(
    queues.map((name) => {
      const queue = new Queue(name, {
        connection,
        prefix: queuePrefix(prefix, name),
        skipVersionCheck: true,
        skipMetasUpdate: true,
        defaultJobOptions: {
          attempts: ATTEMPTS,
          backoff: { type: 'custom' },
          removeOnComplete: true,
          removeOnFail: true,
        },
      });
      queue.on('error', (error) => events.emit('queue.error', { queue: name, error }));
      return [name, queue];
    }),
  );
}

function groupByQueue<E extends Enqueueable>(entries: readonly E[]): [string, E[]][] {
  const groups = new Map<string, E[]>();
  for (const entry of entries) {
    const group = groups.get(entry.queue);
    if (group) group.push(entry);
    else groups.set(entry.queue, [entry]);
  }
  return [...groups];
}

function toBullJob({ key, seq, delayMs, isLowPriority }: Entry) {
  const opts = {
    jobId: entryId(key, seq),
    ...(delayMs > 0 && { delay: delayMs }),
    ...(isLowPriority && { priority: LOW_PRIORITY }),
  };
  return { name: ENTRY_NAME, data: {}, opts };
}
