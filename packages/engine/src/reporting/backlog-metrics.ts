import {
  findHeldLeases,
  type HotDb,
  type LiveWorkers,
  type PendingCounts,
  type QueueBacklog,
  readBacklog,
  readLiveWorkers,
  readPendingCounts,
  readScheduleLag,
  readWriters,
} from '@jobline/db';
import { elapsedMs, type Metrics } from '@jobline/runtime';
import { DISPATCHER_LEASE } from '../fairness/dispatch.js';
import { TASK_LEASES } from '../tasks/tasks.js';
import type { EngineEvents } from './events.js';

/** A snapshot of the waiting jobs and the workers of the whole service. */
interface Snapshot {
  isAnswered: boolean;
  queues: readonly QueueBacklog[];
  workers: LiveWorkers;
  pending: PendingCounts;
  scheduleLagMs: number;
  heldLeases: ReadonlySet<string>;
}

/** Maximum age of a snapshot, however often the metrics are read. */
const FRESH_FOR_MS = 10_000;
/** Maximum number of types that are used as labels. The handlers of operators are few. */
const MAX_TYPES = 200;
/** The leases of the tasks that one process does for the whole service. */
const LEASES = [DISPATCHER_LEASE, ...Object.values(TASK_LEASES)];

/**
 * Provides metrics of all waiting jobs, of all workers, of due schedules, of the tasks of the whole service and of what delays
 * events. Every process returns the same values. They cost six statements of bounded cost, at most every ten seconds and only
 * while the metrics are read.
 */
export function watchBacklog(deps: {
  hot: HotDb;
  events: EngineEvents;
  metrics: Metrics;
  /** Queues with values even if nothing waits for them and no worker takes them. */
  queues: readonly string[];
  leaseMs: number;
  /** If it is absent, 10 s. */
  freshForMs?: number;
}) {
  const { hot, events, metrics, queues, leaseMs, freshForMs = FRESH_FOR_MS } = deps;
  let last: Snapshot = {
    isAnswered: false,
    queues: [],
    workers: { count: 0, slots: new Map(), types: new Set() },
    pending: { time: 0, limit: 0, queue: 0, fullLimits: 0 },
    scheduleLagMs: 0,
    heldLeases: new Set(),
  };
  /** The oldest transaction that writes, and when it was first seen. */
  let writer: { xid: string; seenAt: number } | null = null;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<Snapshot> | null = null;

  async function load(): Promise<Snapshot> {
    loadedAt = performance.now();
    try {
      const [backlog, workers, pending, { oldest, next }, scheduleLagMs, heldLeases] = await Promise.all([
        readBacklog(hot, queues),
        readLiveWorkers(hot, leaseMs),
        readPendingCounts(hot),
        readWriters(hot),
        readScheduleLag(hot),
        findHeldLeases(hot, LEASES),
      ]);
      if (oldest === next) writer = null;
      else if (writer?.xid !== oldest) writer = { xid: oldest, seenAt: performance.now() };
      last = { isAnswered: true, queues: backlog, workers, pending, scheduleLagMs, heldLeases };
    } catch (error) {
      events.emit('step.failed', { step: 'backlog', error });
      last = { ...last, isAnswered: false };
    }
    return last;
  }

  function snapshot(): Promise<Snapshot> | Snapshot {
    if (elapsedMs(loadedAt) < freshForMs) return loading ?? last;
    loading ??= load().finally(() => {
      loading = null;
    });
    return loading;
  }

  /** Returns no values while Postgres does not answer, because an old value would look like a new one. */
  async function perQueue(pick: (backlog: QueueBacklog, workers: LiveWorkers) => number) {
    const { isAnswered, queues: all, workers } = await snapshot();
    return isAnswered ? all.map((one) => ({ labels: { queue: one.queue }, value: pick(one, workers) })) : [];
  }

  metrics.gauge('postgres_up', 'Whether Postgres answers this process.', async () =>
    Number((await snapshot()).isAnswered),
  );
  metrics.gauges(
    'jobs_waiting',
    'Jobs that are due and wait for a worker, by queue. Counted up to 50,000.',
    ['queue'],
    () => perQueue(({ waiting }) => waiting),
  );
  metrics.gauges(
    'jobs_oldest_waiting_seconds',
    'How long the oldest waiting job has been due, by queue.',
    ['queue'],
    () => perQueue(({ oldestMs }) => oldestMs / 1_000),
  );
  metrics.gauges(
    'jobs_pending',
    'Pending jobs, by what they wait for: a time, a limit or a slot. Each counted up to 50,000.',
    ['reason'],
    async () => {
      const { isAnswered, pending } = await snapshot();
      const { time, limit, queue } = pending;
      return isAnswered
        ? Object.entries({ time, limit, queue }).map(([reason, value]) => ({ labels: { reason }, value }))
        : [];
    },
  );
  metrics.gauges('limits_full', 'Limits whose concurrency is in use completely.', [], async () => {
    const { isAnswered, pending } = await snapshot();
    return isAnswered ? [{ labels: {}, value: pending.fullLimits }] : [];
  });
  metrics.gauges(
    'worker_slots',
    'Number of jobs that all live workers can run at the same time, by queue.',
    ['queue'],
    () => perQueue(({ queue }, { slots }) => slots.get(queue) ?? 0),
  );
  metrics.gauges('workers', 'Workers that have sent a heartbeat within a lease.', [], async () => {
    const { isAnswered, workers } = await snapshot();
    return isAnswered ? [{ labels: {}, value: workers.count }] : [];
  });

  metrics.gauges(
    'tasks_owned',
    'Whether a process does the tasks of the whole service, by the name of their lease: feed is the dispatcher.',
    ['lease'],
    async () => {
      const { isAnswered, heldLeases } = await snapshot();
      return isAnswered ? LEASES.map((lease) => ({ labels: { lease }, value: Number(heldLeases.has(lease)) })) : [];
    },
  );
  metrics.gauges(
    'schedules_overdue_seconds',
    'How long the schedule that is due for the longest time has been due.',
    [],
    async () => {
      const { isAnswered, scheduleLagMs } = await snapshot();
      return isAnswered ? [{ labels: {}, value: scheduleLagMs / 1_000 }] : [];
    },
  );

  metrics.gauges(
    'events_held_back_seconds',
    'How long the oldest writing transaction in Postgres has been open. Event streams show nothing newer until it ends.',
    [],
    async () => {
      const { isAnswered } = await snapshot();
      return isAnswered ? [{ labels: {}, value: writer === null ? 0 : elapsedMs(writer.seenAt) / 1_000 }] : [];
    },
  );

  return {
    /** The names of all queues in the last snapshot. */
    queues: async (): Promise<string[]> => (await snapshot()).queues.map(({ queue }) => queue),
    /** Whether a live worker had a handler for the type in the last snapshot. */
    hasHandler: (type: string) => last.workers.types.size <= MAX_TYPES && last.workers.types.has(type),
  };
}
