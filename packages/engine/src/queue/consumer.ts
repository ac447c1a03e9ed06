import { assertNever, type JobKey } from '@jobline/contracts';
import { within } from '@jobline/runtime';
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { reservedSlots } from '../dispatch/window.js';
import type { EngineEvents } from '../events.js';
import { connectConsumer } from './connection.js';
import { createLowPrioritySlots } from './low-priority-slots.js';
import { keyOfEntry, queuePrefix } from './names.js';

/** What to do with a delivered entry. */
export type QueueAction =
  /** Remove it: it is no longer needed. */
  | { kind: 'ack' }
  /** Remove it: its job failed permanently. */
  | { kind: 'fail' }
  /** Deliver it again after the backoff, for the next attempt of its job. */
  | { kind: 'retry'; delayMs: number }
  /** Deliver it again, because it came too early or to the wrong worker. No retry is used. */
  | { kind: 'delay'; delayMs: number };

/** The consuming side of a queue. */
export interface Consumer {
  /** Stops taking entries. Running attempts continue. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends within a few seconds, even if Redis does not answer. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  redisUrl: string;
  prefix: string;
  queue: string;
  concurrency: number;
  /** Time without a sign of life after which other workers take the entries of a worker. */
  leaseMs: number;
  events: EngineEvents;
  /** Never rejects because a job failed. If it rejects, the entry is delivered again later. */
  onDelivery(key: JobKey): Promise<QueueAction>;
}

/** Starts to consume a queue. */
export type Consume = (options: ConsumerOptions) => Consumer;

/** The delay after a failed delivery whose cause is unknown. */
const UNKNOWN_FAILURE_DELAY_MS = 5_000;
const CLOSE_LIMIT_MS = 5_000;
/** The delay of an entry that found no free slot. By then a long job may have ended, or another worker may be free. */
const NO_SLOT_DELAY_MS = 1_000;

export function createConsumer(options: ConsumerOptions): Consumer {
  const { queue, events, concurrency } = options;
  const lowPrioritySlots = createLowPrioritySlots(concurrency - reservedSlots(concurrency));
  const connection = connectConsumer(options.redisUrl);
  connection.on('error', (error) => events.emit('queue.error', { queue, error }));
  let isPaused = false;

  async function process(job: Job, token?: string): Promise<void> {
    await apply(job, token, await deliver(job));
  }

  /**
   * Delivers an entry. Low-priority entries never use all slots: otherwise long jobs that arrive at the same time
   * would leave no slot for other organizations.
   */
  async function deliver(job: Job): Promise<QueueAction> {
    const isLowPriority = (job.opts.priority ?? 0) > 0;
    if (isLowPriority && !isPaused && !(await lowPrioritySlots.take())) {
      return { kind: 'delay', delayMs: isPaused ? 0 : NO_SLOT_DELAY_MS * (0.5 + Math.random()) };
    }
    try {
      // A paused BullMQ worker still delivers the entry that its blocking read was about to take. Other workers get it
      // immediately.
      return isPaused ? { kind: 'delay', delayMs: 0 } : await options.onDelivery(keyOfEntry(job.id ?? ''));
    } finally {
      if (isLowPriority) lowPrioritySlots.release();
    }
  }

  const worker = new Worker(queue, process, {
    connection,
    prefix: queuePrefix(options.prefix, queue),
    concurrency,
    // An entry that a dead worker has taken and not claimed is delivered again when its jobs are taken over.
    lockDuration: options.leaseMs,
    stalledInterval: options.leaseMs,
    // Crashes are counted in Postgres. Above this number BullMQ would fail an entry without delivering it.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    settings: {
      backoffStrategy: (_made, _type, error) =>
        error instanceof RetryEntry ? error.delayMs : UNKNOWN_FAILURE_DELAY_MS,
    },
  });
  worker.on('error', (error) => events.emit('queue.error', { queue, error }));

  return {
    async pause() {
      isPaused = true;
      lowPrioritySlots.cancelWaiting();
      await worker.pause(true);
    },
    async resume() {
      isPaused = false;
      await worker.resume();
    },
    async close() {
      await within(CLOSE_LIMIT_MS, worker.close(true), () => undefined);
      connection.disconnect();
    },
  };
}

/**
 * Translates the action for BullMQ. The messages are constant and have no stack, because BullMQ stores both in Redis.
 */
async function apply(job: Job, token: string | undefined, action: QueueAction): Promise<void> {
  switch (action.kind) {
    case 'ack':
      return;
    case 'fail':
      throw withoutStack(new UnrecoverableError('failed'));
    case 'retry':
      throw withoutStack(new RetryEntry(action.delayMs));
    case 'delay':
      await job.moveToDelayed(Date.now() + action.delayMs, token);
      throw new DelayedError();
    default:
      assertNever(action);
  }
}

class RetryEntry extends Error {
  constructor(readonly delayMs: number) {
    super('retry');
  }
}

function withoutStack<E extends Error>(error: E): E {
  error.stack = '';
  return error;
}
