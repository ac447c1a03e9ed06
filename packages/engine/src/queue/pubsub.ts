import type { OrgId } from '@jobline/contracts';
import type { Link } from './guarded-connection.js';
import { cancelChannel, eventsChannel, listKey, sentinelKey, waitingChannel, windowKey } from './names.js';

/** What a queue holds, and how much it should: its window. */
export interface QueueCounts {
  waiting: number;
  /** Those of the waiting ones that are behind the others. */
  behind: number;
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
export interface Signals {
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
  tellWaiting(): void;
  /** Tells the worker that has the run under this claim token that its job is canceled: as soon as Redis answers. */
  tellCanceled(token: string): void;
  /** Wakes those who read an organization's events. */
  tellEvents(orgId: OrgId): void;
}

/** What a queue holds at least, and when nobody has said how much its workers can take. */
export const MIN_WINDOW = 100;

/** In place of the names of the organizations that wait. */
const EVERYONE = '*';
const WINDOW_TTL_S = 30;
const TELL_WAITING_EVERY_MS = 5;
const TELL_EVENTS_EVERY_MS = 50;
/** Of cancels that are told when Redis answers again. Beyond them, heartbeats find what is canceled. */
const MAX_UNTOLD = 10_000;

export function createSignals(link: Link, options: { prefix: string; queues: readonly string[] }): Signals {
  const { prefix, queues } = options;
  const isQuiet = createQuiet();
  const tellEvents = createGathered<OrgId>(TELL_EVENTS_EVERY_MS, (orgIds) => {
    link.tell((redis) => redis.publish(eventsChannel(prefix), orgIds.join(' ')));
  });
  const untold = new Set<string>();
  let isUnseen = true;
  link.onReady(() => {
    isUnseen = true;
    const tokens = [...untold];
    untold.clear();
    for (const token of tokens) void tellCanceled(token);
  });

  async function tellCanceled(token: string): Promise<void> {
    const heardBy = await link.ask((redis) => redis.publish(cancelChannel(prefix), token));
    if (heardBy === null && untold.size < MAX_UNTOLD) untold.add(token);
  }

  return {
    async count(queue) {
      const answers = await link.ask((redis) =>
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
      const [soon, behind, active, delayed, told] = answers.map(([, value]) => value);
      const [numbers = '', over = '', waitingOrgs = ''] = String(told ?? '').split(';');
      const [window = MIN_WINDOW, slots = Number.POSITIVE_INFINITY] = numbersIn(numbers);
      return {
        waiting: Number(soon) + Number(behind),
        behind: Number(behind),
        active: Math.min(Number(active), slots),
        delayed: Number(delayed),
        window,
        slots,
        overShare: namesIn(over),
        waitingOrgs: waitingOrgs === EVERYONE ? null : namesIn(waitingOrgs),
      };
    },

    async hasLostData() {
      const marks = await link.ask((redis) =>
        Promise.all(queues.map((queue) => redis.set(sentinelKey(prefix, queue), '1', 'NX'))),
      );
      if (!marks) return null;
      const hasLost = isUnseen || marks.some((mark) => mark === 'OK');
      isUnseen = false;
      return hasLost;
    },

    async setState(queue, { window, slots, overShare, waitingOrgs }) {
      const waiting = waitingOrgs === null ? EVERYONE : [...waitingOrgs].join(' ');
      const told = `${window} ${slots};${[...overShare].join(' ')};${waiting}`;
      await link.ask((redis) => redis.set(windowKey(prefix, queue), told, 'EX', WINDOW_TTL_S));
    },

    tellWaiting() {
      if (isQuiet('waiting', TELL_WAITING_EVERY_MS)) return;
      link.tell((redis) => redis.publish(waitingChannel(prefix), ''));
    },

    tellCanceled: (token) => void tellCanceled(token),

    tellEvents,
  };
}

/** Whether the same was told less than so many ms ago. */
function createQuiet(): (what: string, ms: number) => boolean {
  const toldAt = new Map<string, number>();
  return (what, ms) => {
    const now = performance.now();
    if (now < (toldAt.get(what) ?? Number.NEGATIVE_INFINITY) + ms) return true;
    toldAt.set(what, now);
    return false;
  };
}

/** Tells once of all that comes within so many ms, the last of it included. */
function createGathered<T>(everyMs: number, tell: (items: T[]) => void): (item: T) => void {
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
