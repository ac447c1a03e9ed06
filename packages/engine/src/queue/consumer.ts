import { assertNever, type JobKey } from '@jobline/contracts';
import { within } from '@jobline/runtime';
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { reservedSlots } from '../dispatch/window.js';
import type { EngineEvents } from '../events.js';
import { connectConsumer } from './connection.js';
import { createLowPrioritySlots } from './low-priority-slots.js';
import { keyOfEntry, queuePrefix } from './names.js';

/** What becomes of a delivered entry. */
export type QueueAction =
  /** It is no longer needed. */
  | { kind: 'ack' }
  /** Its job failed for good. */
  | { kind: 'fail' }
  /** Its job runs again, once the backoff is over. */
  | { kind: 'retry'; delayMs: number }
  /** It came too early, or to the wrong worker: to be delivered again, with nothing counted. */
  | { kind: 'delay'; delayMs: number };

/** The end of a queue that delivers. */
export interface Consumer {
  /** Stops taking entries; what runs goes on. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends within a few seconds, whether Redis answers or not. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  redisUrl: string;
  prefix: string;
  queue: string;
  concurrency: number;
  /** How long a worker may be silent before others take its entries. */
  leaseMs: number;
  events: EngineEvents;
  /** Never rejects for a job's own failure; a rejection delivers the entry again'delay' */
  onDelivery(key: JobKey): Promise<QueueAction>;
}

/** Starts consuming a queue. */
export type Consume = (options: ConsumerOptions) => Consumer;

/** When nothing else is known of why a delivery failed. */
const UNKNOWN_FAILURE_DELAY_MS = 5_000;
const CLOSE_LIMIT_MS = 5_000;
/** Until an entry that found no slot is delivered again: jobs that run for long are about to end, or another worker is free. */
const NO_SLOT_DELAY_MS = 1_000;

/** Starts consuming a queue. */
export function createConsumer(options: ConsumerOptions): Consumer {
  const { queue, events, concurrency } = options;
  const lowPrioritySlots = createLowPrioritySlots(concurrency - reservedSlots(concurrency));
  const connection = connectConsumer(options.redisUrl);
  connection.on('error', (error) => events.emit('queue.error', { queue, error }));
  let isPaused = false;

  async function process(job: Job, token?: string): Promise<void> {
    await apply(job, token, await deliver(job));
  }

  /** Entries that are behind never run in all slots: jobs that came at once and run for long would leave none to others. */
  async function deliver(job: Job): Promise<QueueAction> {
    const isLowPriority = (job.opts.priority ?? 0) > 0;
    if (isLowPriority && !isPaused && !(await lowPrioritySlots.take())) {
      return { kind: 'delay', delayMs: isPaused ? 0 : NO_SLOT_DELAY_MS * (0.5 + Math.random()) };
    }
    try {
      // A paused BullMQ worker still delivers what its blocking read was about to take: others get it at once.
      return isPaused ? { kind: 'delay', delayMs: 0 } : await options.onDelivery(keyOfEntry(job.id ?? ''));
    } finally {
      if (isLowPriority) lowPrioritySlots.release();
    }
  }

  const worker = new Worker(queue, process, {
    connection,
    prefix: queuePrefix(options.prefix, queue),
    concurrency,
    // What a dead worker had taken and not yet claimed is delivered again as soon as its jobs are taken over.
    lockDuration: options.leaseMs,
    stalledInterval: options.leaseMs,
    // Losses are counted in Postgres; past this number BullMQ would fail an entry without delivering it.
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

/** Tells BullMQ in its own language. Messages are constant and without a stack, because it keeps both in Redis. */
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
