import {
  type HotDb,
  type LiveWorkers,
  type QueueBacklog,
  readBacklog,
  readLiveWorkers,
  readWriters,
} from '@jobline/db';
import { elapsedMs, type Metrics } from '@jobline/runtime';
import type { EngineEvents } from '../events.js';

/** What the whole service has waiting and who works on it. */
interface Look {
  isAnswered: boolean;
  queues: readonly QueueBacklog[];
  workers: LiveWorkers;
}

export interface BacklogMetrics {
  /** Whether a live worker had a handler for the type when it was last looked. */
  hasHandler(type: string): boolean;
}

/** However often somebody asks. */
const FRESH_FOR_MS = 10_000;
/** Types that are named in figures; operators' own handlers are few. */
const MAX_TYPES = 200;

/**
 * Figures of all jobs that wait, of all workers and of what holds up events: the same from whichever process is asked. Three
 * statements of bounded cost, every ten seconds at most and only while somebody asks.
 */
export function watchBacklog(deps: {
  hot: HotDb;
  events: EngineEvents;
  metrics: Metrics;
  queues: readonly string[];
  leaseMs: number;
  /** Absent: 10 s. */
  freshForMs?: number;
}): BacklogMetrics {
  const { hot, events, metrics, queues, leaseMs, freshForMs = FRESH_FOR_MS } = deps;
  let last: Look = { isAnswered: false, queues: [], workers: { count: 0, slots: new Map(), types: new Set() } };
  /** The oldest transaction that writes, and when it was first seen to. */
  let writer: { xid: string; seenAt: number } | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<Look> | null = null;

  async function ask(): Promise<Look> {
    lookedAt = performance.now();
    try {
      const [backlog, workers, { oldest, next }] = await Promise.all([
        readBacklog(hot, queues),
        readLiveWorkers(hot, leaseMs),
        readWriters(hot),
      ]);
      if (oldest === next) writer = null;
      else if (writer?.xid !== oldest) writer = { xid: oldest, seenAt: performance.now() };
      last = { isAnswered: true, queues: backlog, workers };
    } catch (error) {
      events.emit('step.failed', { step: 'backlog', error });
      last = { ...last, isAnswered: false };
    }
    return last;
  }

  function look(): Promise<Look> | Look {
    if (elapsedMs(lookedAt) < freshForMs) return looking ?? last;
    looking ??= ask().finally(() => {
      looking = null;
    });
    return looking;
  }

  /** Nothing while Postgres does not answer: an old figure would look like a new one. */
  async function perQueue(pick: (backlog: QueueBacklog, workers: LiveWorkers) => number) {
    const { isAnswered, queues: all, workers } = await look();
    return isAnswered ? all.map((one) => ({ labels: { queue: one.queue }, value: pick(one, workers) })) : [];
  }

  metrics.gauge('postgres_up', 'Whether Postgres answers this process.', async () => Number((await look()).isAnswered));
  metrics.gauges(
    'jobs_waiting',
    'Jobs that are due and wait for a worker, by queue; 50,000 or more are not told apart.',
    ['queue'],
    () => perQueue(({ waiting }) => waiting),
  );
  metrics.gauges(
    'jobs_oldest_waiting_seconds',
    'For how long the longest waiting job has been due, by queue.',
    ['queue'],
    () => perQueue(({ oldestMs }) => oldestMs / 1_000),
  );
  metrics.gauges('worker_slots', 'How many jobs all live workers run at once, by queue.', ['queue'], () =>
    perQueue(({ queue }, { slots }) => slots.get(queue) ?? 0),
  );
  metrics.gauges('workers', 'Workers heard of within a lease.', [], async () => {
    const { isAnswered, workers } = await look();
    return isAnswered ? [{ labels: {}, value: workers.count }] : [];
  });

  metrics.gauges(
    'events_held_back_seconds',
    "For how long one transaction, anywhere in the Postgres server, has been seen to write: organizations' event streams show nothing newer.",
    [],
    async () => {
      const { isAnswered } = await look();
      return isAnswered ? [{ labels: {}, value: writer === null ? 0 : elapsedMs(writer.seenAt) / 1_000 }] : [];
    },
  );

  return { hasHandler: (type) => last.workers.types.size <= MAX_TYPES && last.workers.types.has(type) };
}
