import { elapsedMs } from '@jobline/runtime';
import { Queue } from 'bullmq';
import type { EngineEvents } from '../reporting/events.js';
import { entryKey, listKey } from './bullmq-keys.js';
import type { Connection } from './connection.js';
import type { Entry, EntryRef } from './entry.js';
import { ENTRY_NAME } from './entry.js';
import { createGuardedConnection, type GuardedConnection } from './guarded-connection.js';
import { ownerKey, queuePrefix } from './names.js';
import { createPubSub } from './pubsub.js';

/** The adding side of the queues. Never waits for Redis without a limit, and never throws because of it. */
export type Producer = ReturnType<typeof createProducer>;

export interface ProducerOptions {
  redisUrl: string;
  prefix: string;
  events: EngineEvents;
  /** Time limit of a request. If it is absent, 250 ms. */
  timeoutMs?: number;
}

/** BullMQ delivers entries without a priority first. */
const LOW_PRIORITY = 1;
/** How many queues a process keeps open. Operators choose their names, so that more are in use only by mistake. */
export const MAX_OPEN_QUEUES = 100;
const TIMEOUT_MS = 250;

export function createProducer(options: ProducerOptions) {
  const { redisUrl, prefix, events, timeoutMs = TIMEOUT_MS } = options;
  const guarded = createGuardedConnection({ redisUrl, timeoutMs, events });
  const queueOf = createOpenQueues(guarded, options);

  async function addTo(name: string, group: readonly [Entry, ...Entry[]]): Promise<boolean> {
    const queue = queueOf(name);
    return (await guarded.request(() => addToQueue(queue, group.map(toBullJob)))) !== null;
  }

  /** Asks for each queue separately, because queues may be on different nodes of a cluster. */
  async function askEachQueue(
    entries: readonly EntryRef[],
    ask: (queue: string, ids: string[]) => Promise<boolean[] | null>,
  ): Promise<boolean[] | null> {
    const found = new Set<EntryRef>();
    for (const [queue, group] of groupByQueue(entries)) {
      const answers = await ask(
        queue,
        group.map(({ id }) => id),
      );
      if (!answers) return null;
      for (const [i, entry] of group.entries()) if (answers[i]) found.add(entry);
    }
    return entries.map((entry) => found.has(entry));
  }

  return {
    ...createPubSub(guarded, options),

    /** Adds entries. Returns false if Redis is down or did not answer in time; some entries may have been added. */
    async add(entries: readonly Entry[]): Promise<boolean> {
      const answers = await Promise.all(groupByQueue(entries).map(([queue, group]) => addTo(queue, group)));
      return answers.every((isAdded) => isAdded);
    },

    /** Removes an entry from its queue, unless it is being delivered. The caller does not wait for it. */
    drop(entry: EntryRef): void {
      guarded.send(async () => queueOf(entry.queue).remove(entry.id));
    },

    /** Returns for each entry whether Redis has it, in order. Returns null if Redis did not answer. */
    present: (entries: readonly EntryRef[]): Promise<boolean[] | null> =>
      askEachQueue(entries, async (queue, ids) => {
        const answers = await guarded.request((redis) => {
          const pipeline = redis.pipeline();
          for (const id of ids) pipeline.exists(entryKey(prefix, queue, id));
          return pipeline.exec();
        });
        if (!answers || answers.some(([error]) => error)) return null;
        return answers.map(([, count]) => count === 1);
      }),

    /**
     * Returns for each entry whether it is in one of the lists from which workers get entries, in order. Returns null if
     * Redis did not answer. An entry that exists but is in no list, because Redis has evicted the list, is never
     * delivered. This reads the lists, so it costs more.
     */
    listed: (entries: readonly EntryRef[]): Promise<boolean[] | null> =>
      askEachQueue(entries, (queue, ids) => readLists(guarded, prefix, queue, ids)),

    /**
     * Returns the id of the installation that owns these queues: `id`, unless another one claimed them before. Returns
     * null if Redis did not answer.
     */
    claimPrefix: (id: string): Promise<string | null> => guarded.request((redis) => claimPrefix(redis, prefix, id)),

    /** Returns the response time of Redis in ms, or null if it does not answer. */
    async ping(): Promise<number | null> {
      const sentAt = performance.now();
      return (await guarded.request((redis) => redis.ping())) === null ? null : elapsedMs(sentAt);
    },

    /** Calls back whenever Redis becomes available again. */
    onReady: guarded.onReady,

    async close(): Promise<void> {
      // The queues share the guarded connection and hold nothing else. BullMQ's own close() can hang without Redis.
      guarded.close();
    },
  };
}

function groupByQueue<E extends EntryRef>(entries: readonly E[]): [string, [E, ...E[]]][] {
  const groups = new Map<string, [E, ...E[]]>();
  for (const entry of entries) {
    const group = groups.get(entry.queue);
    if (group) group.push(entry);
    else groups.set(entry.queue, [entry]);
  }
  return [...groups];
}

/** Opens a queue when it is used first, and closes the one that was used longest ago while too many are open. */
function createOpenQueues({ connection }: GuardedConnection, { prefix, events }: ProducerOptions) {
  const opened = new Map<string, Queue>();

  function open(name: string): Queue {
    const onError = (error: unknown) => void events.emit('queue.error', { queue: name, error });
    const queue = new Queue(name, {
      connection,
      prefix: queuePrefix(prefix, name),
      skipVersionCheck: true,
      skipMetasUpdate: true,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    queue.on('error', onError);
    const [oldest] = opened;
    if (oldest && opened.size >= MAX_OPEN_QUEUES) {
      opened.delete(oldest[0]);
      // Not awaited: without Redis it may wait without end. The connection stays open.
      oldest[1].close().catch(onError);
    }
    return queue;
  }

  return (name: string): Queue => {
    const queue = opened.get(name) ?? open(name);
    // Deleted first, so that the order of the map is the order of use.
    opened.delete(name);
    opened.set(name, queue);
    return queue;
  };
}

/** A lone job needs one command. `addBulk` makes a pipeline with a transaction for it, which allocates 15 KB. */
function addToQueue(queue: Queue, jobs: BullJob[]): Promise<unknown> {
  const [job] = jobs;
  return job && jobs.length === 1 ? queue.add(job.name, job.data, job.opts) : queue.addBulk(jobs);
}

type BullJob = ReturnType<typeof toBullJob>;

function toBullJob({ id, delayMs, isLowPriority, lane, isDirect, ticket }: Entry) {
  const opts = {
    jobId: id,
    ...(delayMs > 0 && { delay: delayMs }),
    ...(isLowPriority && { priority: LOW_PRIORITY }),
  };
  const data = { ...(lane && { lane }), ...(isDirect && { isDirect }), ...(ticket && { ticket }) };
  return { name: ENTRY_NAME, data, opts };
}

/**
 * Returns the id of the installation that owns the keys of the prefix: `id`, unless another one claimed the prefix
 * before. Deployments that share a prefix by mistake would remove each other’s entries without noticing it.
 */
export async function claimPrefix(redis: Connection, prefix: string, id: string): Promise<string> {
  const key = ownerKey(prefix);
  await redis.set(key, id, 'NX');
  return (await redis.get(key)) ?? id;
}

/** Maximum number of entries that are read from a list. */
const MAX_LISTED = 100_000;

/**
 * Returns for each entry of a queue whether it is waiting, delayed or active according to the lists of the queue, at
 * one moment. Returns null if Redis did not answer. If a list is too long to be read, every entry counts as listed.
 */
async function readLists(
  guarded: GuardedConnection,
  prefix: string,
  queue: string,
  ids: readonly string[],
): Promise<boolean[] | null> {
  const key = (list: 'wait' | 'active' | 'prioritized' | 'delayed') => listKey(prefix, queue, list);
  const answers = await guarded.request((redis) =>
    // The commands run as one transaction, so no entry is between two lists.
    redis
      .multi()
      .lrange(key('wait'), 0, MAX_LISTED)
      .lrange(key('active'), 0, MAX_LISTED)
      .zmscore(key('prioritized'), ...ids)
      .zmscore(key('delayed'), ...ids)
      .exec(),
  );
  if (!answers || answers.some(([error]) => error)) return null;
  const [waiting = [], active = [], prioritized = [], delayed = []] = answers.map(([, value]) => asArray(value));
  if (waiting.length > MAX_LISTED || active.length > MAX_LISTED) return ids.map(() => true);
  const inLists = new Set([...waiting, ...active]);
  return ids.map((id, i) => inLists.has(id) || prioritized[i] != null || delayed[i] != null);
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
