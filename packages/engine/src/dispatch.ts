import type { OrgId } from '@jobline/contracts';
import { type Db, dropLease, type HotDb, holdLease, listSlots } from '@jobline/db';
import { listOccupancies, listWaitingQueues, promoteDue } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { createQueueDispatcher, type QueueDispatcher, type QueueWindow, runningOf } from './dispatch/dispatch-queue.js';
import { decideShares } from './dispatch/shares.js';
import type { EngineEvents } from './events.js';
import type { Producer } from './queue/producer.js';
import { MIN_WINDOW } from './queue/pubsub.js';
import type { Lease } from './worker/lease.js';

export interface DispatcherDeps {
  db: Db;
  hot: HotDb;
  producer: Producer;
  events: EngineEvents;
  lease: Pick<Lease, 'id'>;
  queues: readonly string[];
  /** Entries per queue; null: three times what its live workers run at once. */
  window: number | null;
}

/** Moves waiting jobs from Postgres to their queues as room appears. One worker at a time does it. */
export interface Dispatcher {
  /** One round over all queues. Answers how long the next one may be put off, unless it is woken. */
  round(): Promise<number>;
  /** Lets another worker take over at once. */
  end(): Promise<void>;
}

const LEASE_NAME = 'feed';
const LEASE_TTL_MS = 3_000;
const RENEW_EVERY_MS = 1_000;
/** While jobs wait, between rounds. */
const BUSY_MS = 10;
const IDLE_MS = 250;
/** A new list of the organizations that wait is published no sooner after the last one. */
const PUBLISH_EVERY_MS = 50;
/** In one statement, which holds up the round for so long. */
const MAX_PROMOTED = 200;
/** A statement that is slower than this rests for some times as long as it took. */
const CHEAP_MS = 5;
const REST_FACTOR = 10;

const NO_WINDOW: QueueWindow = {
  size: MIN_WINDOW,
  slots: { all: 0, byType: new Map() },
  shares: { over: new Set(), mayFill: false },
  running: new Map(),
};

/**
 * Round-robin over organizations, by priority and then age within one. What it adds is behind what comes to the queues
 * directly, so that whoever has nothing waiting need not wait for the flood of another.
 *
 * Each round looks for the first jobs of each organization. While an old snapshot exists somewhere that becomes slow: all
 * rows that have left the head of the index since are still there to be read. Then most rounds go on where the last one was.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, hot, producer, lease } = deps;
  const dispatchers = new Map(
    deps.queues.map((queue): [string, QueueDispatcher] => [queue, createQueueDispatcher(deps, queue)]),
  );
  let renewedAt = Number.NEGATIVE_INFINITY;
  let promoteAt = Number.NEGATIVE_INFINITY;
  let lookAt = Number.NEGATIVE_INFINITY;
  let promotedUpTo: OrgId | null = null;
  let isHolder = false;
  let windows: ReadonlyMap<string, QueueWindow> = new Map();
  let waiting: readonly string[] = [];
  const published = new Map<string, { orgs: string; at: number }>();

  /** Renews the lease and, with it, what is known of the workers. */
  async function renew(): Promise<void> {
    if (elapsedMs(renewedAt) < RENEW_EVERY_MS) return;
    isHolder = await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs: LEASE_TTL_MS });
    renewedAt = performance.now();
    if (!isHolder) return;
    const [slotsOf, occupancies] = [await listSlots(db), await listOccupancies(db)];
    windows = new Map(
      deps.queues.map((queue): [string, QueueWindow] => {
        const slots = slotsOf.get(queue) ?? NO_WINDOW.slots;
        const own = occupancies.filter((one) => one.queue === queue);
        const size = deps.window ?? Math.max(MIN_WINDOW, 3 * slots.all);
        return [queue, { size, slots, shares: decideShares(own, slots.all), running: runningOf(queue, own) }];
      }),
    );
    published.clear();
  }

  /** Every second, and soon after other organizations wait than before. */
  async function publish(): Promise<void> {
    for (const [queue, dispatcher] of dispatchers) {
      const { size, slots, shares } = windows.get(queue) ?? NO_WINDOW;
      const waitingOrgs = dispatcher.waitingOrgs();
      const orgs = waitingOrgs === null ? '' : `of ${[...waitingOrgs].sort().join()}`;
      const last = published.get(queue);
      if (last && (last.orgs === orgs || elapsedMs(last.at) < PUBLISH_EVERY_MS)) continue;
      published.set(queue, { orgs, at: performance.now() });
      await producer.setState(queue, { window: size, slots: slots.all, overShare: shares.over, waitingOrgs });
    }
  }

  /** Answers how long until the next job is due, at most. */
  async function promote(): Promise<number> {
    if (performance.now() >= promoteAt) {
      const startedAt = performance.now();
      const { promoted, nextInMs, after } = await promoteDue(hot, { after: promotedUpTo, limit: MAX_PROMOTED });
      promotedUpTo = after;
      const isMore = promoted > 0 || after !== null;
      const idleMs = Math.max(Math.min(IDLE_MS, nextInMs ?? IDLE_MS), restMs(elapsedMs(startedAt)));
      promoteAt = performance.now() + (isMore ? 0 : idleMs);
    }
    return Math.max(0, promoteAt - performance.now());
  }

  /** Looks which queues have waiting jobs, and serves them. */
  async function serve(): Promise<void> {
    const isLook = performance.now() >= lookAt;
    const startedAt = performance.now();
    if (isLook) {
      waiting = await listWaitingQueues(hot, deps.queues);
      for (const [queue, dispatcher] of dispatchers) if (!waiting.includes(queue)) dispatcher.clear();
    }
    const queuesMs = elapsedMs(startedAt);
    const tookMs = await Promise.all(
      waiting.map(async (queue) => (await dispatchers.get(queue)?.round(windows.get(queue) ?? NO_WINDOW, isLook)) ?? 0),
    );
    if (isLook) lookAt = performance.now() + restMs(queuesMs + Math.max(0, ...tookMs));
  }

  return {
    async round() {
      await renew();
      if (!isHolder) return RENEW_EVERY_MS;
      const dueInMs = await promote();
      await serve();
      await publish();
      return waiting.length > 0 ? BUSY_MS : dueInMs;
    },
    async end() {
      if (isHolder) await dropLease(db, { name: LEASE_NAME, holder: lease.id() });
    },
  };
}

function restMs(tookMs: number): number {
  return tookMs < CHEAP_MS ? 0 : REST_FACTOR * tookMs;
}
