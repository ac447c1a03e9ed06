import { setImmediate } from 'node:timers/promises';
import { assertNever, type JobKey } from '@jobline/contracts';
import { elapsedMs, pause, within } from '@jobline/runtime';
import type { Job } from 'bullmq';
import type { EngineEvents } from '../reporting/events.js';
import { markerKey } from './bullmq-keys.js';
import { connectConsumer } from './connection.js';
import { type DeliveredEntry, type EntryKind, keyOfEntry, type TicketData } from './entry.js';
import { createFetcher, type Fetched } from './fetcher.js';
import { createSlots } from './slots.js';
import { createTickets } from './tickets.js';

/** The result of the delivery of one job. */
export type Delivered =
  /** The worker has claimed the job. `ended` resolves when the job no longer uses its slot, and never rejects. */
  | { kind: 'running'; ended: Promise<void> }
  /** The entry is no longer needed for the job. */
  | { kind: 'gone' }
  /** The job came too early or to the wrong worker: deliver it again. No retry is used. 0: another worker should take it. */
  | { kind: 'delay'; delayMs: number };

/** The consuming side of a queue. */
export type Consumer = ReturnType<typeof createConsumer>;

export interface ConsumerOptions {
  redisUrl: string;
  prefix: string;
  queue: string;
  /** The number of its slots. */
  concurrency: number;
  /** After this time, other workers take an entry that this worker has fetched and not finished. */
  leaseMs: number;
  events: EngineEvents;
  /** Never rejects because a job failed. If it rejects, the job is delivered again later. */
  onDelivery(key: JobKey, entry: DeliveredEntry): Promise<Delivered>;
  /**
   * Claims and starts the next waiting jobs of the organizations of some tickets. Never rejects. Returns for each ticket when each of
   * the jobs that it started no longer uses its slot; these promises never reject.
   */
  onTickets(
    tickets: readonly TicketData[],
    entry: { queue: string; isLowPriority: boolean },
  ): Promise<readonly (readonly Promise<void>[])[]>;
}

/** Starts to consume a queue. */
export type Consume = (options: ConsumerOptions) => Consumer;

/** The delay after a failed delivery whose cause is unknown. */
const UNKNOWN_FAILURE_DELAY_MS = 5_000;
const CLOSE_LIMIT_MS = 5_000;
/** After this number of fetches that all returned an entry, several entries are fetched at the same time. */
const STREAK = 3;
const MAX_FETCHES = 4;
const FINISH_TRIES = 3;
const FINISH_FAILED_DELAY_MS = 100;
/** While a low-priority entry waits for a slot, the consumer looks for normal entries at this interval. */
const NORMAL_POLL_MS = 20;
/**
 * After a job that another worker should take, the consumer looks for entries at an interval for some time
 * and does not block. So consumers that block get the next entries first.
 */
const GIVE_WAY_FOR_MS = 5_000;
const GIVE_WAY_POLL_MS = 20;
/** For how long a ticket is used. Then the dispatcher decides again about the share of its organization. */
const TICKET_MS = 250;
/** For how long after an entry of a single job others are expected. */
const SINGLES_FOR_MS = 250;
/** The part of the lease for which an entry may wait for slots. Then its lock could end. */
const MAX_WAIT_PART = 1 / 2;

/**
 * Fetches an entry when a slot is free, and delivers its job, or uses the ticket. The entry is finished as soon as its job is
 * claimed: from then on, Postgres records which worker has it. So an entry is locked only for a short time. An entry of version 0.1
 * may carry several jobs; the first is delivered, and reconcile finds the others.
 */
export function createConsumer(options: ConsumerOptions) {
  const { queue, events } = options;
  const slots = createSlots(options.concurrency);
  const connection = connectConsumer(options.redisUrl);
  const report = (error: unknown) => void events.emit('queue.error', { queue, error });
  connection.on('error', report);
  const fetcher = createFetcher({
    ...options,
    connection,
    onError: report,
    // Not awaited, so that the next entry is fetched meanwhile. `handle` takes its slots synchronously.
    onFetched: (fetched) => void handle(fetched).catch(report),
  });
  const ticketsOf = (isLowPriority: boolean) =>
    createTickets({
      slots,
      isLowPriority,
      hasSingles: () => elapsedMs(singleAt) < SINGLES_FOR_MS,
      start: (tickets) => options.onTickets(tickets, { queue, isLowPriority }),
    });
  const tickets = { normal: ticketsOf(false), low: ticketsOf(true) };
  let isPaused = false;
  let isClosed = false;
  /** How many jobs the entry that was fetched last may start. */
  let lastSize = 1;
  let givesWayUntil = 0;
  /** When the last entry of a single job came. */
  let singleAt = Number.NEGATIVE_INFINITY;

  async function consume(): Promise<void> {
    await fetcher.start();
    for (let streak = 0; !isClosed; ) {
      await slots.untilFree();
      // While entries wait, several are fetched at the same time.
      const fitting = Math.floor(slots.freeForAny() / lastSize);
      const count = streak < STREAK ? 1 : Math.min(MAX_FETCHES, Math.max(1, fitting));
      const givesWay = performance.now() < givesWayUntil;
      // While an entry of low priority waits, the next one would have to wait too.
      const isFetched = await fetcher.fetch({ count, isNormalOnly: mustLowWait(), mayBlock: !givesWay });
      if (isFetched === null) {
        await pause(NORMAL_POLL_MS);
        continue;
      }
      streak = isFetched ? streak + 1 : 0;
      if (streak === 0 && givesWay) await pause(GIVE_WAY_POLL_MS);
      // A fetch may return at once without an entry. The loop must not block the process then.
      if (streak === 0) await setImmediate();
    }
  }

  /** Whether the next entry of low priority would have to wait for slots, behind those that this consumer has already. */
  function mustLowWait(): boolean {
    const wanted = tickets.low.wanted();
    return wanted > 0 ? wanted >= slots.capacityFor(true) : slots.isLowWaiting();
  }

  async function handle(fetched: Fetched): Promise<void> {
    const { entry } = fetched;
    const delivered = { ...kindOf(entry), queue };
    const { isLowPriority, ticket } = delivered;
    lastSize = ticket?.share ?? ticket?.count ?? 1;
    if (ticket) {
      await (isLowPriority ? tickets.low : tickets.normal).use(ticket, performance.now() + TICKET_MS);
      return retryTwice(() => complete(fetched));
    }
    singleAt = performance.now();
    if (await slots.take(isLowPriority, performance.now() + MAX_WAIT_PART * options.leaseMs)) {
      const delayMs = await deliver(keyOfEntry(entry.id ?? ''), delivered);
      return retryTwice(() => finish(fetched, delayMs));
    }
    try {
      await retryTwice(() => putBack(fetched));
    } finally {
      slots.left(isLowPriority);
    }
  }

  async function complete({ entry, token }: Fetched): Promise<void> {
    await entry.moveToCompleted(null, token, false);
  }

  /** Finishes an entry whose job is claimed or needs none (null), or returns it to its queue. */
  async function finish(fetched: Fetched, delayMs: number | null): Promise<void> {
    if (delayMs === null) return complete(fetched);
    if (delayMs > 0) return fetched.entry.moveToDelayed(Date.now() + delayMs, fetched.token);
    givesWayUntil = performance.now() + GIVE_WAY_FOR_MS;
    return putBack(fetched);
  }

  /** Puts it before the other entries of its priority, so that their order stays the same. */
  async function putBack({ entry, token }: Fetched): Promise<void> {
    await entry.moveToWait(token);
    // Wakes idle workers. BullMQ does not do this for an entry with a priority.
    await connection.zadd(markerKey(options.prefix, queue), 0, '0');
  }

  /** Delivers a job, which has a slot. Returns the delay until its next delivery. Null: there is none. */
  async function deliver(key: JobKey, entry: Required<DeliveredEntry>): Promise<number | null> {
    const { isLowPriority } = entry;
    const delivered = await deliverSafely(key, entry);
    if (delivered.kind === 'running') {
      void delivered.ended.then(() => slots.release(isLowPriority));
      return null;
    }
    slots.release(isLowPriority);
    switch (delivered.kind) {
      case 'gone':
        return null;
      case 'delay':
        return delivered.delayMs;
      default:
        return assertNever(delivered);
    }
  }

  async function deliverSafely(key: JobKey, entry: DeliveredEntry): Promise<Delivered> {
    try {
      return await options.onDelivery(key, entry);
    } catch (error) {
      report(error);
      return { kind: 'delay', delayMs: UNKNOWN_FAILURE_DELAY_MS };
    }
  }

  void consume().catch(report);
  return {
    /** Stops taking entries. Running attempts continue. */
    async pause(): Promise<void> {
      isPaused = true;
      slots.stop();
      await fetcher.pause();
    },
    async resume(): Promise<void> {
      isPaused = false;
      await fetcher.resume();
      if (!isPaused) slots.start();
    },
    /** Ends within a few seconds, even if Redis does not answer. */
    async close(): Promise<void> {
      isClosed = true;
      slots.stop();
      await within(CLOSE_LIMIT_MS, fetcher.close(), () => undefined);
      connection.disconnect();
    },
  };
}

/** Redis may fail for a moment. If it fails for longer, the entry is delivered again after the lease. */
async function retryTwice(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === FINISH_TRIES) throw error;
      await pause(FINISH_FAILED_DELAY_MS);
    }
  }
}

function kindOf({ opts, data }: Job): Required<EntryKind> {
  // The cast: only the producer writes the data.
  const { lane = null, isDirect = false, ticket = null } = data as EntryKind;
  return { isLowPriority: (opts.priority ?? 0) > 0, lane, isDirect, ticket };
}
