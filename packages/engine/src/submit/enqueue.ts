import type { JobKey } from '@jobline/contracts';
import type { InsertedJob, NewJob } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Window } from '../fairness/window.js';
import { chunkEntryId, type Entry, entryOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';

/**
 * Adds the keys of stored jobs to their queues. Never rejects, so the caller need not wait for it. Entries that
 * Redis does not accept in time are added again as soon as it answers, which has no effect on entries that exist. If
 * there are more of them than the buffer holds, or if this process ends first, their jobs stay pending in Postgres,
 * where reconcile finds them.
 */
export type Enqueue = (entries: readonly Entry[]) => Promise<void>;

const MAX_SKIPPED = 10_000;

export function createEnqueue({
  producer,
  events,
}: {
  producer: Pick<Producer, 'add' | 'onReady'>;
  events: EngineEvents;
}): Enqueue {
  const skipped: { entry: Entry; at: number }[] = [];

  async function enqueue(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0 || (await producer.add(entries))) return;
    const at = performance.now();
    skipped.push(...entries.slice(0, MAX_SKIPPED - skipped.length).map((entry) => ({ entry, at })));
    events.emit('enqueue.skipped', { count: entries.length });
  }

  producer.onReady(() => {
    const late = skipped.splice(0);
    void enqueue(late.map(({ entry, at }) => ({ ...entry, delayMs: Math.max(0, entry.delayMs - elapsedMs(at)) })));
  });
  return enqueue;
}

export interface EnqueueDeps {
  enqueue: Enqueue;
  producer: Producer;
  window: Window;
  events: EngineEvents;
}

/** A new job before the engine has decided whether it may be enqueued at once. */
export type JobDraft = Omit<NewJob, 'hasCapacity'>;

/** A new job for which capacity was requested. */
interface ReservedJob extends NewJob {
  isLowPriority: boolean;
}

/**
 * Stores new jobs and adds the entries of those that may start at once. `store` reserves the capacity for its jobs, inserts them
 * and commits. Whatever its end, all of that capacity is used or released: if the answer of Postgres is lost, it is
 * released although the rows may be committed. These rows, and those of a process that dies after the commit, have no entry,
 * and reconcile finds them.
 */
export async function storeAndEnqueue<R extends { inserted: readonly InsertedJob[] }>(
  deps: EnqueueDeps,
  store: (reserve: ReserveCapacity) => Promise<R>,
): Promise<R> {
  let jobs: readonly ReservedJob[] = [];
  let inserted: readonly InsertedJob[] = [];
  try {
    const stored = await store((drafts, mayAdd = true) => {
      jobs = reserveCapacity(deps, drafts, mayAdd);
      return jobs;
    });
    inserted = stored.inserted;
    return stored;
  } finally {
    enqueueInserted(deps, jobs, inserted);
  }
}

/**
 * Reserves capacity in Redis for jobs that are due, in their order. Called once at most. With `mayAdd: false` it reserves none:
 * the dispatcher decides about all of them.
 */
export type ReserveCapacity = (drafts: readonly JobDraft[], mayAdd?: boolean) => readonly NewJob[];

function reserveCapacity(
  { window }: Pick<EnqueueDeps, 'window'>,
  drafts: readonly JobDraft[],
  mayAdd: boolean,
): ReservedJob[] {
  return drafts.map((job) => {
    const queuePriority = mayAdd && isDue(job) && !job.after?.length ? window.reserve(job.queue, job.orgId) : null;
    return { ...job, hasCapacity: queuePriority !== null, isLowPriority: queuePriority === 'low' };
  });
}

/** Whether the job is due by the clock of this machine. The insert statement decides again by the clock of Postgres. */
function isDue({ runAt }: JobDraft): boolean {
  return runAt === null || runAt.getTime() <= Date.now();
}

/** Adds the entries of the inserted jobs that may start at once, in their order, and releases the capacity of the others. */
function enqueueInserted(deps: EnqueueDeps, jobs: readonly ReservedJob[], inserted: readonly InsertedJob[]): void {
  const byKey: ReadonlyMap<JobKey, InsertedJob> = new Map(inserted.map((one) => [one.key, one]));
  const entries: Entry[] = [];
  for (const job of jobs) {
    if (!job.hasCapacity) continue;
    const stored = byKey.get(job.key);
    if (stored?.isAdded) entries.push(toEntry(job, stored.lane));
    else deps.window.release(job.queue, 1);
  }
  void enqueueReserved(deps, entries);
  for (const job of jobs) announce(deps, job, byKey.get(job.key));
}

function announce({ events, producer }: EnqueueDeps, { key, orgId, type }: NewJob, stored?: InsertedJob): void {
  if (!stored) return;
  events.emit('job.submitted', { key, orgId, type });
  if (!stored.isAdded && stored.stage !== 'scheduled') producer.publishWaiting();
}

async function enqueueReserved({ enqueue, window }: EnqueueDeps, entries: readonly Entry[]): Promise<void> {
  await enqueue(entries);
  for (const { queue } of entries) window.confirm(queue, 1);
}

/** `lane`: of a held job, otherwise null. */
function toEntry({ key, queue, isLowPriority }: ReservedJob, lane: string | null): Entry {
  const entry = entryOf({ key, queue, seq: 1 }, { isLowPriority });
  // The dispatcher gives its entries higher numbers.
  return lane === null ? entry : { ...entry, id: chunkEntryId(key, 0), lane, isDirect: true };
}
