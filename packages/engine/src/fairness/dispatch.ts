import type { OrgId } from '@jobline/contracts';
import { dropLease, findWaitingQueues, holdLease, listSlots, saveOrgMaxRunning } from '@jobline/db';
import { listOccupancies, listWaitingQueues, promoteDue } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Redeliver } from '../attempt/absent-handler.js';
import { createHeldDispatcher, type HeldQueue } from '../limits/held.js';
import type { WorkOptions } from '../options.js';
import { MIN_WINDOW } from '../queue/pubsub.js';
import type { Lease } from '../start/lease.js';
import { orgsOverShare } from './allowances.js';
import { createQueueDispatcher, type QueueDispatcher, type QueueWindow } from './dispatch-queue.js';

interface DispatcherDeps
  extends Pick<WorkOptions, 'db' | 'hot' | 'producer' | 'events' | 'leaseMs' | 'orgMaxRunning' | 'window'> {
  redeliver: Redeliver;
  lease: Pick<Lease, 'id'>;
  /** Queues whose state is published even if nothing waits for them and no worker takes them. */
  queues: readonly string[];
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

/** The name in the table `leases`, as earlier versions have it. */
export const DISPATCHER_LEASE = 'feed';
const LEASE_TTL_MS = 3_000;
const RENEW_EVERY_MS = 1_000;
/** The pause between two rounds while jobs wait. */
const BUSY_MS = 10;
const FAILED_MS = 500;
const IDLE_MS = 250;
/** The pause between two looks for jobs under limits while there are none. */
const LOOK_MS = 50;
/** Minimum time between two publications of a changed list of waiting organizations. */
const PUBLISH_EVERY_MS = 50;
/** Maximum number of jobs in one statement, because the round waits for the statement. */
const MAX_PROMOTED = 200;
/** A statement that takes longer than this is repeated only after a rest, which is a multiple of its duration. */
const CHEAP_MS = 5;
const REST_FACTOR = 10;

interface Renewed extends QueueWindow {
  overShare: ReadonlySet<OrgId>;
}

const NO_WINDOW: Renewed = {
  size: MIN_WINDOW,
  slots: { all: 0, smallest: 0, byType: new Map() },
  overShare: new Set(),
};

/**
 * Adds tickets for waiting jobs to their queues when there is capacity. The rows stay `waiting` until a worker claims them.
 *
 * Divides the capacity round-robin over organizations; a worker starts an organization's jobs by priority and then by age. The
 * tickets have low priority in Redis, after the entries of jobs that are enqueued when they are submitted. So an organization
 * without waiting jobs does not wait for the backlog of another organization.
 *
 * Each round looks for the first job of each organization. While an old snapshot exists anywhere in Postgres this becomes slow,
 * because all rows that have left the head of the index since then still have to be read. In that case most rounds use what the
 * last look has found.
 */
export function createDispatcher(deps: DispatcherDeps) {
  const { db, hot, producer, lease } = deps;
  const held = createHeldDispatcher({ db, hot });
  /** Those of `deps.queues`, of the queues that live workers take, and of the first queues for which jobs wait. */
  let dispatchers: ReadonlyMap<string, QueueDispatcher> = new Map();
  let heldAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let promoteAt = Number.NEGATIVE_INFINITY;
  let probeAt = Number.NEGATIVE_INFINITY;
  let promotedUpTo: OrgId | null = null;
  let isHolder = false;
  let windows: ReadonlyMap<string, Renewed> = new Map();
  let waiting: readonly string[] = [];
  const published = new Map<string, { orgs: string; at: number }>();
  let wake = (): void => undefined;

  /**
   * Renews the lease and, with it, the information about the workers. Not a leasedTask: every submission of a job that waits wakes
   * this task in every worker, and those without the lease must not ask Postgres for it each time.
   */
  async function renew(): Promise<void> {
    if (elapsedMs(renewedAt) < RENEW_EVERY_MS) return;
    isHolder = await holdLease(db, { name: DISPATCHER_LEASE, holder: lease.id(), ttlMs: LEASE_TTL_MS });
    renewedAt = performance.now();
    if (!isHolder) return;
    const [slotsOf, withJobs, occupancies] = await Promise.all([
      listSlots(db),
      findWaitingQueues(db),
      listOccupancies(db),
      saveOrgMaxRunning(db, deps.orgMaxRunning),
    ]);
    const queues = [...new Set([...deps.queues, ...slotsOf.keys(), ...withJobs])];
    dispatchers = new Map(
      queues.map((queue) => [queue, dispatchers.get(queue) ?? createQueueDispatcher({ ...deps, held }, queue)]),
    );
    windows = new Map(
      queues.map((queue): [string, Renewed] => {
        const slots = slotsOf.get(queue) ?? NO_WINDOW.slots;
        const own = occupancies.filter((one) => one.queue === queue);
        const size = deps.window ?? Math.max(MIN_WINDOW, 3 * slots.all);
        return [queue, { size, slots, overShare: orgsOverShare(own, slots.all) }];
      }),
    );
    published.clear();
  }

  /** Publishes every second, and soon after the set of waiting organizations has changed. */
  async function publish(): Promise<void> {
    const publishing = [...dispatchers].map(async ([queue, dispatcher]) => {
      const { slots, overShare } = windows.get(queue) ?? NO_WINDOW;
      // Entries start in the order of their submission. When all slots are in use, jobs wait in Postgres, where their priority counts.
      const window = deps.window ?? (slots.all > 0 ? slots.all : MIN_WINDOW);
      const waitingOrgs = dispatcher.waitingOrgs();
      const orgs = waitingOrgs === null ? '' : `orgs ${[...waitingOrgs].sort().join()}`;
      const last = published.get(queue);
      if (last && (last.orgs === orgs || elapsedMs(last.at) < PUBLISH_EVERY_MS)) return;
      published.set(queue, { orgs, at: performance.now() });
      await producer.setState(queue, { window, slots: slots.all, overShare, waitingOrgs });
    });
    await Promise.all(publishing);
  }

  /** Returns the maximum time until the next job is due. */
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

  /** Dispatches jobs under limits. Returns the time until the next call. */
  async function dispatchHeld(): Promise<number> {
    if (performance.now() >= heldAt) {
      lookedAt = performance.now();
      // If the round fails, the next one follows soon. It may also be asked to look again during the round.
      heldAt = performance.now() + IDLE_MS;
      try {
        const nextMs = await held.round(openQueues);
        heldAt = Math.min(heldAt, performance.now() + nextMs);
      } catch (error) {
        // Jobs without limits do not wait for those with limits.
        deps.events.emit('step.failed', { step: 'dispatch jobs under limits', error });
      }
    }
    return Math.max(0, heldAt - performance.now());
  }

  async function openQueues(): Promise<ReadonlyMap<string, HeldQueue>> {
    const opened = [...dispatchers].map(
      async ([queue, dispatcher]): Promise<[string, HeldQueue]> => [
        queue,
        await dispatcher.openForHeld(windows.get(queue) ?? NO_WINDOW),
      ],
    );
    return new Map(await Promise.all(opened));
  }

  /** Finds the queues that have waiting jobs, and dispatches from them. */
  async function dispatchAll(): Promise<void> {
    const isProbe = performance.now() >= probeAt;
    const startedAt = performance.now();
    if (isProbe) {
      waiting = await listWaitingQueues(hot, [...dispatchers.keys()]);
      for (const [queue, dispatcher] of dispatchers) if (!waiting.includes(queue)) dispatcher.clear();
    }
    const queuesMs = elapsedMs(startedAt);
    const tookMs = await Promise.all(
      waiting.map(
        async (queue) => (await dispatchers.get(queue)?.round(windows.get(queue) ?? NO_WINDOW, isProbe)) ?? 0,
      ),
    );
    if (isProbe) probeAt = performance.now() + restMs(queuesMs + Math.max(0, ...tookMs));
  }

  return {
    /** Begins the next round, which also looks at jobs under limits: a job waits, or one under a limit has ended. */
    look(): void {
      // Most messages are about jobs without limits.
      const restMs = held.hasLanes() ? BUSY_MS : LOOK_MS;
      heldAt = Math.min(heldAt, Math.max(performance.now(), lookedAt + restMs));
      wake();
    },
    onWake(next: () => void) {
      wake = next;
    },
    name: 'dispatch',
    failedMs: FAILED_MS,
    async round() {
      await renew();
      if (!isHolder) return RENEW_EVERY_MS;
      const dispatching = dispatchHeld();
      const dueInMs = await promote().finally(() => dispatching);
      const heldInMs = await dispatching;
      await dispatchAll();
      await publish();
      const isBusy = waiting.some((queue) => (windows.get(queue)?.slots.all ?? 0) > 0);
      return Math.min(isBusy ? BUSY_MS : dueInMs, heldInMs);
    },
    async end() {
      if (isHolder) await dropLease(db, { name: DISPATCHER_LEASE, holder: lease.id() });
    },
  };
}

function restMs(tookMs: number): number {
  return tookMs < CHEAP_MS ? 0 : REST_FACTOR * tookMs;
}
