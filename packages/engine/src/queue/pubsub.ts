import type { OrgId } from '@jobline/contracts';
import type { GuardedConnection } from './guarded-connection.js';
import { cancelChannel, eventsChannel, listKey, sentinelKey, waitingChannel, windowKey } from './names.js';

/** What a queue holds, and how much it should: its window. */
export interface QueueCounts {
  waiting: number;
  /** Those of the waiting ones that are behind the others. */
  lowPriority: number;
  /** As many as live workers can have at most: entries of dead ones stay active until BullMQ notices. */
  active: number;
  delayed: number;
  window: number;
  /** What its live workers run at one time; infinite if nobody has said. */
  slots: number;
  /** Organizations whose slow jobs hold more than their share of the slots. */
  overShare: ReadonlySet<string>;
  /** Organizations that have jobs waiting in Postgres; null: too many to name. */
  waitingOrgs: ReadonlySet<string> | null;
}

/** What the feeder publishes of a queue. */
export type QueueState = Pick<QueueCounts, 'window' | 'slots' | 'overShare' | 'waitingOrgs'>;

/** What processes tell each other of the queues, by way of Redis. All of it may get lost, and nothing with it. */
export interface PubSub {
  /** Null if Redis did not answer. */
  count(queue: string): Promise<QueueCounts | null>;
  /**
   * Marks the queues as seen. Answers whether one of them had lost its mark, and with it perhaps its entries; also after
   * every reconnection, because what was added meanwhile was not. Null if Redis did not answer.
   */
  hasLostData(): Promise<boolean | null>;
  /** Publishes the state of a queue to every process. It is forgotten after a while. */
  setState(queue: string, state: QueueState): Promise<void>;
  /** Wakes the feeder: jobs wait in Postgres. */
  publishWaiting(): void;
  /** Tells the worker that has the run under this claim token that its job is canceled: as soon as Redis answers. */
  publishCanceled(token: string): void;
  /** Wakes those who read an organization's events. */
  publishEvents(orgId: OrgId): void;
}

/** What a queue holds at least, and when nobody has said how much its workers can take. */
export const MIN_WINDOW = 100;

/** In place of the names of the organizations that wait. */
const EVERYONE = '*';
const WINDOW_TTL_S = 30;
const PUBLISH_WAITING_EVERY_MS = 5;
const PUBLISH_EVENTS_EVERY_MS = 50;
/** Of cancels that are told when Redis answers again. Beyond them, heartbeats find what is canceled. */
const MAX_UNSENT = 10_000;

export function createPubSub(
  guarded: GuardedConnection,
  options: { prefix: string; queues: readonly string[] },
): PubSub {
  const { prefix, queues } = options;
  const isTooSoon = createRateLimit();
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
    const heardBy = await guarded.request((redis) => redis.publish(cancelChannel(prefix), token));
    if (heardBy === null && unsent.size < MAX_UNSENT) unsent.add(token);
  }

  return {
    async count(queue) {
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
      const [normal, lowPriority, active, delayed, told] = answers.map(([, value]) => value);
      const [numbers = '', over = '', waitingOrgs = ''] = String(told ?? '').split(';');
      const [window = MIN_WINDOW, slots = Number.POSITIVE_INFINITY] = numbersIn(numbers);
      return {
        waiting: Number(normal) + Number(lowPriority),
        lowPriority: Number(lowPriority),
        active: Math.min(Number(active), slots),
        delayed: Number(delayed),
        window,
        slots,
        overShare: namesIn(over),
        waitingOrgs: waitingOrgs === EVERYONE ? null : namesIn(waitingOrgs),
      };
    },

    async hasLostData() {
      const marks = await guarded.request((redis) =>
        Promise.all(queues.map((queue) => redis.set(sentinelKey(prefix, queue), '1', 'NX'))),
      );
      if (!marks) return null;
      const hasLost = needsResync || marks.some((mark) => mark === 'OK');
      needsResync = false;
      return hasLost;
    },

    async setState(queue, { window, slots, overShare, waitingOrgs }) {
      const waiting = waitingOrgs === null ? EVERYONE : [...waitingOrgs].join(' ');
      const told = `${window} ${slots};${[...overShare].join(' ')};${waiting}`;
      await guarded.request((redis) => redis.set(windowKey(prefix, queue), told, 'EX', WINDOW_TTL_S));
    },

    publishWaiting() {
      if (isTooSoon('waiting', PUBLISH_WAITING_EVERY_MS)) return;
      guarded.send((redis) => redis.publish(waitingChannel(prefix), ''));
    },

    publishCanceled: (token) => void publishCanceled(token),

    publishEvents,
  };
}

/** Whether the same was told less than so many ms ago. */
function createRateLimit(): (what: string, ms: number) => boolean {
  const toldAt = new Map<string, number>();
  return (what, ms) => {
    const now = performance.now();
    if (now < (toldAt.get(what) ?? Number.NEGATIVE_INFINITY) + ms) return true;
    toldAt.set(what, now);
    return false;
  };
}

/** Tells once of all that comes within so many ms, the last of it included. */
function createCoalescer<T>(everyMs: number, tell: (items: T[]) => void): (item: T) => void {
  const items = new Set<T>();
  let toldAt = Number.NEGATIVE_INFINITY;

  function tellAll(): void {
    toldAt = performance.now();
    tell([...items]);
    items.clear();
  }

  return (item) => {
    // Unreferenced, because it is no reason to stay: readers look by themselves, too.
    if (items.size === 0) setTimeout(tellAll, Math.max(0, toldAt + everyMs - performance.now())).unref();
    items.add(item);
  };
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text === '' ? [] : text.split(' '));
}
