import type { JobKey } from '@jobline/contracts';
import { TYPE_SEEN_EVERY_MS } from '@jobline/db';
import { type ClaimAnswer, failUnhandled, moveToQueue, parkUnknown } from '@jobline/db/job-transitions';
import type { WorkOptions } from '../options.js';
import type { Delivered } from '../queue/consumer.js';
import { entryOf } from '../queue/entry.js';
import { noHandler } from '../reporting/job-log.js';
import type { Enqueue } from '../submit/enqueue.js';

/**
 * Returns a job that reached a worker without its handler to its queue, moves it to the queue of a worker with the handler, parks it
 * until a worker has its type, or fails it.
 */
export type Redeliver = (key: JobKey, answer: Extract<ClaimAnswer, { kind: 'unhandled' }>) => Promise<Delivered>;

export function createRedeliver({
  db,
  enqueue,
  events,
  noHandlerAfterMs,
}: Pick<WorkOptions, 'db' | 'events' | 'noHandlerAfterMs'> & { enqueue: Enqueue }): Redeliver {
  const redeliveryDelayMs = createRedeliveryDelay();

  /** Moves a job whose type was unknown when it was submitted, and for whose type no worker consumes this queue. */
  async function reroute(key: JobKey, queue: string): Promise<Delivered> {
    const moved = await moveToQueue(db, key, queue);
    await enqueue(moved.map((job) => entryOf(job)));
    return { kind: 'gone' };
  }

  /** Fails a job whose type no worker handles. */
  async function fail(key: JobKey, type: string): Promise<Delivered> {
    const failed = await failUnhandled(db, [{ key, message: noHandler(type) }]);
    for (const { orgId } of failed) events.emit('job.failed', { key, orgId, type, errorCode: 'no_handler' });
    return { kind: 'gone' };
  }

  return async (key, { type, queue, reach, unseenMs }) => {
    if (reach === queue) return { kind: 'delay', delayMs: redeliveryDelayMs(key) };
    if (reach !== null) return reroute(key, reach);
    // Its workers may come back soon.
    const delayMs = decideAbsent(unseenMs, noHandlerAfterMs, Math.random());
    if (delayMs !== null) return { kind: 'delay', delayMs };
    return unseenMs === null && (await parkUnknown(db, key)) ? { kind: 'gone' } : fail(key, type);
  };
}

const REDELIVERY_DELAY_MS = 1_000;
const MAX_REMEMBERED = 10_000;

/**
 * Returns a function that decides how long to delay an entry while another worker has its handler. The first time, another
 * free worker takes the entry at once (0). If it reaches this worker again, the others seem to be busy, and it waits about
 * a second.
 */
function createRedeliveryDelay(): (key: JobKey) => number {
  const seen = new Set<JobKey>();
  return (key) => {
    if (seen.delete(key)) return Math.round(REDELIVERY_DELAY_MS * (0.5 + Math.random()));
    // Forgetting is safe: an entry then returns at once once more.
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.add(key);
    return 0;
  };
}

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;
/**
 * The wait as a share of the absence: a handler that has been absent for ten minutes is unlikely to return within the
 * next second.
 */
const PART_OF_ABSENCE = 0.1;
const JITTER = 0.25;

/**
 * Decides how long a job waits whose type no live worker handles. Returns null if it waits no longer, because no
 * worker ever had the type, or none within `noHandlerAfterMs`. `unseenMs` is the time since a worker last had the type
 * (null: never); it may be too long by the interval at which that is recorded. `random` in [0, 1) spreads the jobs of
 * a type over time. Pure.
 */
export function decideAbsent(unseenMs: number | null, noHandlerAfterMs: number, random: number): number | null {
  if (unseenMs === null || unseenMs > noHandlerAfterMs + TYPE_SEEN_EVERY_MS) return null;
  const delayMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, unseenMs * PART_OF_ABSENCE));
  return Math.round(delayMs * (1 - JITTER * random));
}
