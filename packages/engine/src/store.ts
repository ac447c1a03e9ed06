import type { JobKey } from '@jobline/contracts';
import type { InsertedJob, NewJob, PendingStage } from '@jobline/db/job-transitions';
import type { QueuePriority, Window } from './dispatch/window.js';
import type { Enqueue } from './enqueue.js';
import type { EngineEvents } from './events.js';
import type { Producer } from './queue/producer.js';
import type { JobDraft } from './submission.js';

export interface StoreDeps {
  enqueue: Enqueue;
  producer: Producer;
  window: Window;
  events: EngineEvents;
}

/**
 * Stores new jobs and then hands over to Redis those that have a place there. Never the other order: if the process
 * dies in between, reconcile finds the rows. Places are given, and taken in Redis, in the order of the jobs. `insert`
 * commits all of them, some, or none, and says which.
 */
export async function store<T extends { inserted: readonly InsertedJob[] }>(
  deps: StoreDeps,
  unplaced: readonly JobDraft[],
  insert: (jobs: NewJob[]) => Promise<T>,
): Promise<T> {
  const jobs = unplaced.map((job) => {
    const queuePriority = isDue(job) ? deps.window.reserve(job.queue, job.orgId) : null;
    return { ...job, queuePriority, hasCapacity: queuePriority !== null };
  });
  const withRoom = jobs.filter((job) => job.hasCapacity);
  let outcome: T;
  try {
    outcome = await insert(jobs);
  } catch (error) {
    for (const { queue } of withRoom) deps.window.release(queue, 1);
    throw error;
  }
  const places: ReadonlyMap<JobKey, PendingStage> = new Map(outcome.inserted.map(({ key, stage }) => [key, stage]));
  for (const { key, queue } of withRoom) if (places.get(key) !== 'enqueued') deps.window.release(queue, 1);
  void handOver(
    deps,
    withRoom.filter(({ key }) => places.get(key) === 'enqueued'),
  );
  for (const { key, orgId, type } of jobs) {
    const place = places.get(key);
    if (place) deps.events.emit('job.submitted', { key, orgId, type });
    if (place === 'waiting') deps.producer.publishWaiting();
  }
  return outcome;
}

/** By this machine's clock; the statement has the last word. */
function isDue({ runAt }: JobDraft): boolean {
  return runAt === null || runAt.getTime() <= Date.now();
}

async function handOver(
  deps: StoreDeps,
  jobs: readonly (NewJob & { queuePriority: QueuePriority | null })[],
): Promise<void> {
  await deps.enqueue(
    jobs.map(({ key, queue, queuePriority }) => ({
      key,
      queue,
      seq: 1,
      delayMs: 0,
      isLowPriority: queuePriority === 'low',
    })),
  );
  for (const { queue } of jobs) deps.window.confirm(queue, 1);
}
