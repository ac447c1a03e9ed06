import type { OrgId } from '@jobline/contracts';
import { type Db, dropLease, holdLease, liveConcurrency } from '@jobline/db';
import { listWaitingOrgs, promoteDue, takeWaiting } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Enqueue } from './enqueue.js';
import type { EngineEvents } from './events.js';
import type { Lease } from './lease.js';
import type { Producer } from './queue/producer.js';
import { MIN_WINDOW } from './queue/signals.js';

export interface FeedDeps {
  db: Db;
  producer: Producer;
  enqueue: Enqueue;
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
const BUSY_MS = 5;
const IDLE_MS = 250;
const MAX_PROMOTED = 1_000;
/** The rest of a window is kept for those who have nothing waiting. */
const FED_SHARE = 0.8;
const MAX_ORGS = 100;

/**
 * Round-robin over organizations, by priority and then age within one. While it has work, the queues are told to be
 * flooded: whoever has nothing waiting is then added in front of what waits in Redis, and so need not wait for the
 * flood of another.
 */
export function createFeed(deps: FeedDeps): Feed {
  const { db, producer, lease } = deps;
  const served = new Map<string, OrgId>();
  let renewedAt = Number.NEGATIVE_INFINITY;
  let promoteAt = Number.NEGATIVE_INFINITY;
  let isHolder = false;
  let windows: ReadonlyMap<string, number> = new Map();

  /** Renews the lease and, with it, what everybody should know of the windows. */
  async function renew(): Promise<void> {
    if (elapsedMs(renewedAt) < RENEW_EVERY_MS) return;
    isHolder = await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs: LEASE_TTL_MS });
    renewedAt = performance.now();
    if (!isHolder) return;
    const concurrency = await liveConcurrency(db);
    const windowOf = (queue: string) => deps.window ?? Math.max(MIN_WINDOW, 3 * (concurrency.get(queue) ?? 0));
    windows = new Map(deps.queues.map((queue) => [queue, windowOf(queue)]));
    for (const [queue, window] of windows) await producer.setWindow(queue, window, concurrency.get(queue) ?? 0);
  }

  /** Answers whether jobs may still wait. */
  async function feedQueue(queue: string): Promise<boolean> {
    const [orgs, counts] = await Promise.all([nextOrgs(queue), producer.count(queue)]);
    if (orgs.length === 0 || !counts) return false;
    producer.tellFlood(queue);
    const room = Math.ceil(FED_SHARE * (windows.get(queue) ?? counts.window)) - counts.waiting - counts.active;
    if (room > 0) {
      const entries = await takeWaiting(db, queue, orgs, room);
      await deps.enqueue(entries.map((entry) => ({ ...entry, delayMs: 0 })));
      const last = entries.at(-1);
      if (last) served.set(queue, last.orgId);
    }
    return true;
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
    const orgs = await listWaitingOrgs(db, queue, { after, limit: MAX_ORGS });
    if (after === null || orgs.length === MAX_ORGS) return orgs;
    const fromStart = await listWaitingOrgs(db, queue, { after: null, limit: MAX_ORGS - orgs.length });
    return [...orgs, ...fromStart.filter((org) => org <= after)];
  }

  return {
    async round() {
      await renew();
      if (!isHolder) return RENEW_EVERY_MS;
      const dueInMs = await promote();
      const areBusy = await Promise.all(deps.queues.map(feedQueue));
      return areBusy.includes(true) ? BUSY_MS : dueInMs;
    },
    async end() {
      if (isHolder) await dropLease(db, { name: LEASE_NAME, holder: lease.id() });
    },
  };
}
