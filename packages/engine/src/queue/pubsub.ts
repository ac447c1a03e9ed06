import type { OrgId } from '@jobline/contracts';
import type { EngineEvents } from '../reporting/events.js';
import { listKey } from './bullmq-keys.js';
import { connectConsumer } from './connection.js';
import type { GuardedConnection } from './guarded-connection.js';
import { cancelChannel, eventsChannel, sentinelKey, waitingChannel, windowKey } from './names.js';

/** The number of entries in a queue, and its limits in jobs. */
export interface QueueCounts {
  waiting: number;
  /** The waiting entries that have low priority. */
  lowPriority: number;
  /**
   * Entries that a worker has fetched and whose jobs are not claimed yet. Limited to the slots of live workers: entries of
   * dead workers stay active until BullMQ notices.
   */
  active: number;
  delayed: number;
  window: number;
  /** The number of its jobs that its live workers run at the same time. Infinite if it was not published. */
  slots: number;
  /** Organizations whose slow jobs use more than their share of the slots. */
  overShare: ReadonlySet<string>;
  /** Organizations that have jobs waiting in Postgres. Null if there are too many to list. */
  waitingOrgs: ReadonlySet<string> | null;
}

/** The state of a queue that the dispatcher publishes. */
export type QueueState = Pick<QueueCounts, 'window' | 'slots' | 'overShare' | 'waitingOrgs'>;

/** The minimum window of a queue, which is also used while the slots of its workers are unknown. */
export const MIN_WINDOW = 100;

/** Replaces the list of waiting organizations if there are too many. */
const ALL_ORGS = '*';
const WINDOW_TTL_S = 30;
const PUBLISH_WAITING_EVERY_MS = 5;
const PUBLISH_EVENTS_EVERY_MS = 50;
/**
 * Maximum number of cancellations that are kept until Redis answers again. Workers find further ones with their
 * heartbeat.
 */
const MAX_UNSENT = 10_000;

/** The messages between processes about the queues, through Redis. Any of them may get lost without harm. */
export function createPubSub(guarded: GuardedConnection, { prefix }: { prefix: string }) {
  const isTooSoon = createThrottle();
  const publishEvents = createCoalescer<OrgId>(PUBLISH_EVENTS_EVERY_MS, (orgIds) => {
    guarded.send((redis) => redis.publish(eventsChannel(prefix), orgIds.join(' ')));
  });
  const unsent = new Set<string>();
  let needsResync = true;
  guarded.onReady(() => {
    needsResync = true;
    const tokens = [...unsent];
    unsent.clear();
    for (const token of tokens) void publishCanceled(token);
  });

  async function publishCanceled(token: string): Promise<void> {
    const receivers = await guarded.request((redis) => redis.publish(cancelChannel(prefix), token));
    if (receivers === null && unsent.size < MAX_UNSENT) unsent.add(token);
  }

  return {
    /** Returns null if Redis did not answer. */
    async count(queue: string): Promise<QueueCounts | null> {
      const answers = await guarded.request((redis) =>
        redis
          .pipeline()
          .llen(listKey(prefix, queue, 'wait'))
          .zcard(listKey(prefix, queue, 'prioritized'))
          .llen(listKey(prefix, queue, 'active'))
          .zcard(listKey(prefix, queue, 'delayed'))
          .get(windowKey(prefix, queue))
          .exec(),
      );
      if (!answers || answers.some(([error]) => error)) return null;
      const [normal = 0, lowPriority = 0, fetched = 0, delayed = 0] = answers.map(([, value]) => Number(value));
      const [numbers = '', over = '', waitingOrgs = ''] = String(answers[4]?.[1] ?? '').split(';');
      const [window = MIN_WINDOW, slots = Number.POSITIVE_INFINITY] = numbersIn(numbers);
      const active = Math.min(fetched, slots);
      return {
        waiting: normal + lowPriority,
        lowPriority,
        active,
        delayed,
        window,
        slots,
        overShare: namesIn(over),
        waitingOrgs: waitingOrgs === ALL_ORGS ? null : namesIn(waitingOrgs),
      };
    },

    /**
     * Marks the queues as seen. Returns whether one of them had no mark: it is new, or may have lost entries. Also true
     * after every reconnection, because entries may not have been added in between. Returns null if Redis did not
     * answer.
     */
    async hasLostData(queues: readonly string[]): Promise<boolean | null> {
      const marks = await guarded.request((redis) =>
        Promise.all(queues.map((queue) => redis.set(sentinelKey(prefix, queue), '1', 'NX'))),
      );
      if (!marks) return null;
      const hasLost = needsResync || marks.some((mark) => mark === 'OK');
      needsResync = false;
      return hasLost;
    },

    /** Publishes the state of a queue to all processes. It expires after a while. */
    async setState(queue: string, { window, slots, overShare, waitingOrgs }: QueueState): Promise<void> {
      const waiting = waitingOrgs === null ? ALL_ORGS : [...waitingOrgs].join(' ');
      // The third number is read by version 0.1.
      const state = `${window} ${slots} 1;${[...overShare].join(' ')};${waiting}`;
      await guarded.request((redis) => redis.set(windowKey(prefix, queue), state, 'EX', WINDOW_TTL_S));
    },

    /** Wakes the dispatcher, because jobs wait in Postgres. */
    publishWaiting(): void {
      if (isTooSoon('waiting', PUBLISH_WAITING_EVERY_MS)) return;
      guarded.send((redis) => redis.publish(waitingChannel(prefix), ''));
    },

    /** Notifies the worker that runs a job with this claim token that the job is canceled, as soon as Redis answers. */
    publishCanceled: (token: string): void => void publishCanceled(token),

    /** Wakes the event streams of an organization. */
    publishEvents,
  };
}

/** Returns a function that is true if the same message was published less than `ms` ago. */
function createThrottle(): (what: string, ms: number) => boolean {
  const publishedAt = new Map<string, number>();
  return (what, ms) => {
    const now = performance.now();
    if (now < (publishedAt.get(what) ?? Number.NEGATIVE_INFINITY) + ms) return true;
    publishedAt.set(what, now);
    return false;
  };
}

/** Combines all items within `everyMs` into one message, the last item included. */
function createCoalescer<T>(everyMs: number, publish: (items: T[]) => void): (item: T) => void {
  const items = new Set<T>();
  let publishedAt = Number.NEGATIVE_INFINITY;

  function flush(): void {
    publishedAt = performance.now();
    publish([...items]);
    items.clear();
  }

  return (item) => {
    // Unreferenced, so that it does not keep the process alive. Event streams also poll, so a lost message does no harm.
    if (items.size === 0) setTimeout(flush, Math.max(0, publishedAt + everyMs - performance.now())).unref();
    items.add(item);
  };
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text === '' ? [] : text.split(' '));
}

/**
 * A subscription to messages of other processes through Redis. Messages that are published while Redis is down are
 * lost.
 */
export interface Subscription {
  /** Whether messages are received now, as far as this process knows. */
  isConnected(): boolean;
  close(): void;
}

/** Calls back with every message of the given channels. */
export function subscribe(
  options: { redisUrl: string; events: EngineEvents },
  listeners: ReadonlyMap<string, (message: string) => void>,
): Subscription {
  const onError = (error: unknown) => options.events.emit('queue.error', { queue: 'signals', error });
  const connection = connectConsumer(options.redisUrl);
  connection.on('error', onError);
  connection.on('message', (channel, message) => listeners.get(channel)?.(message));
  connection.subscribe(...listeners.keys()).catch(onError);
  return { isConnected: () => connection.status === 'ready', close: () => connection.disconnect() };
}
