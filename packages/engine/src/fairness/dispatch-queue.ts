import type { OrgId } from '@jobline/contracts';
import type { Db, HotDb, ListedHeld, QueueSlots } from '@jobline/db';
import { type Load, listLoads, listUnhandled, listWaitingOrgs, type WaitingOrg } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Redeliver } from '../attempt/absent-handler.js';
import type { HeldDispatcher, HeldQueue } from '../limits/held.js';
import { chunkEntryId, type Entry, entryOf, ticketOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { QueueCounts } from '../queue/pubsub.js';
import { reservedSlots } from '../queue/slots.js';
import type { EngineEvents } from '../reporting/events.js';
import { createAllowances } from './allowances.js';
import { createDispatchedEntries, limitsOf } from './dispatched.js';
import { shareOut } from './share-out.js';
import { lowPriorityCapacity } from './window.js';

/** The state of a queue and its workers. */
export interface QueueWindow {
  /** Maximum number of jobs in the queue in Redis. */
  size: number;
  slots: QueueSlots;
}

/**
 * Gives the waiting jobs of a queue tickets, by which workers claim them, round-robin over the organizations. The rows do not change.
 */
export type QueueDispatcher = ReturnType<typeof createQueueDispatcher>;

/** Maximum number of organizations in one round. The others follow in the next round. */
const MAX_ORGS = 100;
/** The interval between two measurements of what each organization runs. */
const MEASURE_EVERY_MS = 100;
/** After a measurement, the dispatcher rests for at least this multiple of the time that the measurement took. */
const REST_FACTOR = 10;
/**
 * An organization runs few jobs if they use less than this share of the slots that are reserved for normal priority.
 */
const SMALL_SHARE_OF_RESERVED = 1 / 4;
/** The interval between two looks at jobs of types that no worker of the queue handles, and between two tickets past them. */
const UNHANDLED_EVERY_MS = 250;
const SOON_MS = 50;
/** How many of the first jobs of an organization such a look reads. */
const MAX_UNHANDLED = 100;

export interface QueueDispatcherDeps {
  db: Db;
  hot: HotDb;
  producer: Producer;
  events: EngineEvents;
  leaseMs: number;
  held: Pick<HeldDispatcher, 'hasLanes' | 'startingOrgs'>;
  redeliver: Redeliver;
}

export function createQueueDispatcher(deps: QueueDispatcherDeps, queue: string) {
  const { hot, producer, events, held } = deps;
  const dispatched = createDispatchedEntries(producer);
  let allowances = createAllowances();
  let orgs: readonly WaitingOrg[] = [];
  let hasListedAll = true;
  let lastOrg: OrgId | null = null;
  let measureAt = Number.NEGATIVE_INFINITY;
  let measured: readonly Load[] = [];
  let unhandledAt = Number.NEGATIVE_INFINITY;
  // Each entry gets a new number, because Redis ignores an id that it knows.
  let entryNumber = 1 + Math.floor(Math.random() * 1e12);

  /** Lists the organizations to dispatch next: those after the last dispatched one, then those before it. */
  async function listOrgs(): Promise<void> {
    const after = lastOrg;
    const next = await listWaitingOrgs(hot, queue, { after, limit: MAX_ORGS });
    const others =
      after === null || next.length === MAX_ORGS
        ? []
        : await listWaitingOrgs(hot, queue, { after: null, limit: MAX_ORGS - next.length });
    orgs = [...next, ...others.filter(({ orgId }) => after !== null && orgId <= after)];
    hasListedAll = orgs.length < MAX_ORGS;
  }

  /** Measures what each organization runs, and computes from it how many jobs of each may be started. */
  async function measure({ slots }: QueueWindow): Promise<void> {
    if (performance.now() < measureAt) return;
    const startedAt = performance.now();
    await dispatched.check();
    const limitOf = limitsOf(slots);
    const unlimited = dispatched.jobs().filter(({ type }) => limitOf(type) === Number.POSITIVE_INFINITY);
    const loads = await listLoads(
      hot,
      queue,
      unlimited.map(({ key }) => key),
    );
    // An old snapshot makes the statement slow.
    measureAt = performance.now() + Math.max(MEASURE_EVERY_MS, REST_FACTOR * elapsedMs(startedAt));
    measured = loads;
    const waitingOrgs = [...new Set([...orgs.map(({ orgId }) => orgId), ...held.startingOrgs()])];
    allowances.update({ loads: measured, waitingOrgs, slots: slots.all - reservedSlots(slots.all) });
  }

  /** Handles the first jobs of organizations that wait for a type that no worker of the queue handles. */
  async function redeliverUnhandled({ byType }: QueueSlots): Promise<ReadonlySet<OrgId>> {
    const behind = orgs.filter(({ type }) => !byType.has(type)).map(({ orgId }) => orgId);
    if (behind.length === 0) return new Set();
    if (elapsedMs(unhandledAt) < UNHANDLED_EVERY_MS) return new Set(behind);
    unhandledAt = performance.now();
    const types = [...byType.keys()];
    const jobs = await listUnhandled(hot, queue, {
      orgIds: behind,
      types,
      limit: MAX_UNHANDLED,
      leaseMs: deps.leaseMs,
    });
    const ended = await Promise.all(jobs.map(({ key, ...job }) => deps.redeliver(key, { kind: 'unhandled', ...job })));
    // The next ones can be handled at once.
    if (ended.some(({ kind }) => kind === 'gone')) unhandledAt = Number.NEGATIVE_INFINITY;
    return new Set();
  }

  async function addTickets(counts: QueueCounts, slots: QueueSlots): Promise<void> {
    const isBehind = await redeliverUnhandled(slots);
    await dispatched.check();
    const few = fewOf(slots);
    const tickets = shareOut({
      orgs: orgs.filter(({ orgId }) => !isBehind.has(orgId)).map(({ orgId }) => orgId),
      lastOrg,
      share: allowances.shareOfSlots(),
      ticketsOf: dispatched.ticketsOf,
      loads: measured,
      slots,
      few: { ofOrg: few, ofAll: few - (counts.waiting - counts.lowPriority) },
    });
    const last = tickets.at(-1);
    if (!last) return;
    const entries = tickets.map(({ isLowPriority, ...ticket }) =>
      ticketOf(queue, ticket, { n: ++entryNumber, isLowPriority }),
    );
    if (!(await producer.add(entries))) return;
    for (const [i, { orgId }] of tickets.entries()) {
      const entry = entries[i];
      if (entry) dispatched.remember(entry, { orgId, job: null });
    }
    lastOrg = last.orgId;
  }

  /** Adds jobs under limits. Each has an entry of its own, because their claims are decided one by one. */
  async function addHeld(jobs: readonly ListedHeld[], normal: ReadonlySet<string>): Promise<boolean> {
    const entries = jobs.map((job): Entry => {
      const isLowPriority = !normal.has(job.key);
      return { ...entryOf(job, { isLowPriority, lane: job.lane }), id: chunkEntryId(job.key, ++entryNumber) };
    });
    if (!(await producer.add(entries))) return false;
    for (const [i, job] of jobs.entries()) {
      const entry = entries[i];
      if (entry) dispatched.remember(entry, { orgId: job.orgId, job });
      allowances.use(job.orgId, 1);
    }
    events.emit('jobs.dispatched', { queue, count: jobs.length });
    return true;
  }

  return {
    /** Reads the state of the queue, to add jobs under limits. */
    async openForHeld(window: QueueWindow): Promise<HeldQueue> {
      const { size, slots } = window;
      // Without slots, no job is added, and the state of the queue costs nothing.
      const counts = slots.all > 0 ? await producer.count(queue) : null;
      const isOpen = counts !== null;
      if (counts) {
        await dispatched.check();
        await measure(window);
      }
      const heldCount = dispatched.jobs().length;
      const inRedis = isOpen ? counts.waiting - counts.lowPriority + counts.active + heldCount : size;
      const few = isOpen ? fewOf(slots) - heldCount : 0;
      const left = { ofAll: lowPriorityCapacity(size) - inRedis, ofSmall: Math.max(size - inRedis, few) };
      return {
        ...dispatched.capacity(left, (orgId) => allowances.of(orgId), limitsOf(slots)),
        canRun: (type) => (slots.byType.get(type) ?? 0) > 0,
        heldKeys: () => dispatched.jobs().map(({ key }) => key),
        slots: slots.all,
        addHeld,
      };
    },
    /** Adds tickets up to the capacity. With `isProbe` it lists the organizations with waiting jobs. Returns the time that this took, in ms. */
    async round(window: QueueWindow, isProbe: boolean): Promise<number> {
      const startedAt = performance.now();
      if (isProbe) await listOrgs();
      const tookMs = elapsedMs(startedAt);
      const counts = window.slots.all > 0 ? await producer.count(queue) : null;
      if (!counts) return tookMs;
      await measure(window);
      await addTickets(counts, window.slots);
      return tookMs;
    },
    /**
     * The organizations whose jobs waited in the last round for longer than tickets take normally. Null if there are too many to
     * list.
     */
    waitingOrgs: (): ReadonlySet<OrgId> | null =>
      hasListedAll ? new Set(orgs.filter(({ dueMs }) => dueMs > SOON_MS).map(({ orgId }) => orgId)) : null,
    /** Resets the state when no jobs wait. */
    clear(): void {
      orgs = [];
      hasListedAll = true;
      if (held.hasLanes()) return;
      allowances = createAllowances();
      measureAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function fewOf(slots: QueueSlots): number {
  return Math.ceil(SMALL_SHARE_OF_RESERVED * reservedSlots(slots.all));
}
