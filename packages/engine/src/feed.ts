import type { JobKey, OrgId } from '@jobline/contracts';
import { type Db, dropLease, type HotDb, holdLease, liveConcurrency } from '@jobline/db';
import {
  listOccupancies,
  listWaiting,
  listWaitingOrgs,
  listWaitingQueues,
  promoteDue,
} from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from './events.js';
import type { Lease } from './lease.js';
import type { Producer } from './queue/producer.js';
import { MIN_WINDOW } from './queue/signals.js';
import { decideShares, type Shares } from './shares.js';
import { placesBehind } from './window.js';

export interface FeedDeps {
  db: Db;
  hot: HotDb;
  producer: Producer;
  events: EngineEvents;
  lease: Lease;
  queues: readonly string[];
  /** Entries per queue; null: three times what its live workers run at once. */
  window: number | null;
}

/** Moves waiting jobs from Postgres to their queues as room appears. One worker at a time does it. */
export interface Feed {
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
const MAX_PROMOTED = 1_000;
const MAX_ORGS = 100;

/** What is known of a queue's workers. */
interface QueueWindow {
  /** How many entries it should hold. */
  size: number;
  /** How many jobs its live workers run at one time. */
  slots: number;
  shares: Shares;
}

const NO_WINDOW: QueueWindow = { size: MIN_WINDOW, slots: 0, shares: { over: new Set(), mayFill: false } };

/**
 * Round-robin over organizations, by priority and then age within one. What it adds is behind what comes to the queues
 * directly, so that whoever has nothing waiting need not wait for the flood of another.
 */
export function createFeed(deps: FeedDeps): Feed {
  const { db, hot, producer, lease } = deps;
  const served = new Map<string, OrgId>();
  const added = new Map<string, readonly JobKey[]>();
  let renewedAt = Number.NEGATIVE_INFINITY;
  let promoteAt = Number.NEGATIVE_INFINITY;
  let isHolder = false;
  let windows: ReadonlyMap<string, QueueWindow> = new Map();

  /** Renews the lease and, with it, what everybody should know of the windows. */
  async function renew(): Promise<void> {
    if (elapsedMs(renewedAt) < RENEW_EVERY_MS) return;
    isHolder = await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs: LEASE_TTL_MS });
    renewedAt = performance.now();
    if (!isHolder) return;
    const [concurrency, occupancies] = [await liveConcurrency(db), await listOccupancies(db)];
    windows = new Map(
      deps.queues.map((queue): [string, QueueWindow] => {
        const slots = concurrency.get(queue) ?? 0;
        const own = occupancies.filter((one) => one.queue === queue);
        return [
          queue,
          { size: deps.window ?? Math.max(MIN_WINDOW, 3 * slots), slots, shares: decideShares(own, slots) },
        ];
      }),
    );
    for (const [queue, { size, slots, shares }] of windows)
      await producer.setWindow(queue, size, slots, shares.over.keys());
  }

  /**
   * Adds waiting jobs while there is room. Their rows stay as they are until they are claimed, so which of them are in
   * Redis already is known here alone: entries that are behind leave in the order in which they came, hence those are the ones
   * added last, as many as Redis holds. Whoever forgets (another worker takes over the feeding, Redis loses everything)
   * adds them again, under the same number, which changes nothing if they are there.
   */
  async function feedQueue(queue: string): Promise<void> {
    const counts = await producer.count(queue);
    if (!counts) return;
    const { size, slots, shares } = windows.get(queue) ?? { ...NO_WINDOW, size: counts.window };
    const inRedis = counts.waiting + counts.active;
    const room = placesBehind(size, slots) - inRedis;
    if (room <= 0) return;
    const held = newest(added.get(queue) ?? [], counts.behind + counts.active);
    const orgs = await nextOrgs(queue);
    const within = orgs.filter((org) => !shares.over.has(org));
    const entries = await listWaiting(hot, queue, within, { limit: room, except: held });
    // Theirs never wait in Redis, in front of what others submit next: only slots that are free now are for them.
    const free = Math.min(room, slots - inRedis) - entries.length;
    if (shares.mayFill && free > 0) {
      const over = orgs.filter((org) => shares.over.has(org));
      entries.push(...(await listWaiting(hot, queue, over, { limit: free, except: held })));
    }
    const isAdded = await producer.add(entries.map((entry) => ({ ...entry, delayMs: 0, isBehind: true })));
    added.set(queue, isAdded ? [...held, ...entries.map(({ key }) => key)] : held);
    const last = entries.at(-1);
    if (!isAdded || !last) return;
    served.set(queue, last.orgId);
    deps.events.emit('jobs.fed', { queue, count: entries.length });
  }

  /** Answers how long until the next job is due, at most. */
  async function promote(): Promise<number> {
    if (performance.now() >= promoteAt) {
      const { promoted, nextInMs } = await promoteDue(db, MAX_PROMOTED);
      promoteAt = performance.now() + (promoted === MAX_PROMOTED ? 0 : Math.min(IDLE_MS, nextInMs ?? IDLE_MS));
    }
    return Math.max(0, promoteAt - performance.now());
  }

  /** Whose turn it is: the organizations after the last one that was served, then those before it. */
  async function nextOrgs(queue: string): Promise<OrgId[]> {
    const after = served.get(queue) ?? null;
    const orgs = await listWaitingOrgs(hot, queue, { after, limit: MAX_ORGS });
    if (after === null || orgs.length === MAX_ORGS) return orgs;
    const fromStart = await listWaitingOrgs(hot, queue, { after: null, limit: MAX_ORGS - orgs.length });
    return [...orgs, ...fromStart.filter((org) => org <= after)];
  }

  return {
    async round() {
      await renew();
      if (!isHolder) return RENEW_EVERY_MS;
      const dueInMs = await promote();
      const queues = await listWaitingQueues(hot, deps.queues);
      await Promise.all(queues.map(feedQueue));
      return queues.length > 0 ? BUSY_MS : dueInMs;
    },
    async end() {
      if (isHolder) await dropLease(db, { name: LEASE_NAME, holder: lease.id() });
    },
  };
}

function newest<T>(items: readonly T[], count: number): readonly T[] {
  return count > 0 ? items.slice(-count) : [];
}
