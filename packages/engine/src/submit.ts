import { createHash } from 'node:crypto';
import { AppError, type JobKey, type JobStatus, type Json, type JsonObject, type OrgId } from '@jobline/contracts';
import { type Db, isUnavailable } from '@jobline/db';
import { findSubmitted, insertJobs, type JobPlace, type NewJob, type SubmittedRow } from '@jobline/db/job-transitions';
import { type Catalogue, DEFAULT_QUEUE } from '@jobline/handlers';
import { createBatcher, newId } from '@jobline/runtime';
import type { Enqueue } from './enqueue.js';
import type { EngineEvents } from './events.js';
import type { Producer } from './queue/producer.js';
import type { Window } from './window.js';

/** What a caller asks for, checked and in one spelling. */
export interface Submission {
  /** Chosen by the caller; absent: the service makes one. */
  id?: string | undefined;
  type: string;
  payload: JsonObject;
  maxRetries: number;
  priority: number;
  /** Not before then; null or past: now. */
  runAt: Date | null;
}

export interface Submitted {
  id: string;
  status: JobStatus;
  /** Whether this repeats an earlier submission of the same id and content. */
  replayed: boolean;
}

/**
 * Stores a job and hands its key to its queue. Resolved means committed: the job is never lost after that, whatever
 * happens to Redis. Throws AppError `conflict` when the id is taken by a different job.
 */
export type Submit = (orgId: OrgId, submission: Submission) => Promise<Submitted>;

export interface SubmitDeps {
  db: Db;
  catalogue: Catalogue;
  enqueue: Enqueue;
  producer: Producer;
  window: Window;
  events: EngineEvents;
}

/** The row first, then the queue: if the process dies in between, reconcile finds the row. Never the other order. */
export function createSubmit(deps: SubmitDeps): Submit {
  const inserts = createBatcher<Unplaced, SubmittedRow | null>({
    run: (jobs) => insert(deps, jobs),
    maxItems: 500,
    gatherMs: 2,
    maxInFlight: 3,
    isolate: (error) => !isUnavailable(error),
  });

  return async (orgId, submission) => {
    const job = toNewJob(deps.catalogue, orgId, submission);
    const existing = await inserts.add(job);
    if (existing === null) return { id: job.id, status: 'pending', replayed: false };
    if (!isSameContent(existing, job)) {
      throw new AppError('conflict', `the id "${job.id}" is taken by a different job`, {
        details: [{ path: 'id', message: 'is taken by a job with other content' }],
      });
    }
    return { id: existing.id, status: existing.status, replayed: true };
  };
}

/** A job before it is known whether its queue has room. */
type Unplaced = Omit<NewJob, 'hasRoom'>;

/** Null for each job that is stored now; for the others, the job that has their id. */
async function insert(deps: SubmitDeps, unplaced: Unplaced[]): Promise<(SubmittedRow | null)[]> {
  const jobs = unplaced.map((job) => ({ ...job, hasRoom: isDue(job) && deps.window.take(job.queue) }));
  const withRoom = jobs.filter((job) => job.hasRoom);
  let places: ReadonlyMap<JobKey, JobPlace>;
  try {
    places = new Map((await insertJobs(deps.db, jobs)).map(({ key, place }) => [key, place]));
  } catch (error) {
    for (const { queue } of withRoom) deps.window.giveBack(queue, 1);
    throw error;
  }
  for (const { key, queue } of withRoom) if (places.get(key) !== 'enqueued') deps.window.giveBack(queue, 1);
  void handOver(
    deps,
    withRoom.filter(({ key }) => places.get(key) === 'enqueued'),
  );
  for (const { key, orgId, type } of jobs) {
    const place = places.get(key);
    if (place) deps.events.emit('job.submitted', { key, orgId, type });
    if (place === 'waiting') deps.producer.tellWaiting();
  }
  return places.size === jobs.length ? jobs.map(() => null) : findExisting(deps, jobs, places);
}

/** By this machine's clock; the statement has the last word. */
function isDue({ runAt }: Unplaced): boolean {
  return runAt === null || runAt.getTime() <= Date.now();
}

async function handOver(deps: SubmitDeps, jobs: readonly NewJob[]): Promise<void> {
  await deps.enqueue(
    jobs.map(({ key, queue }) => ({ key, queue, seq: 1, delayMs: 0, isFirst: deps.window.isFlooded(queue) })),
  );
  for (const { queue } of jobs) deps.window.settle(queue, 1);
}

/** An insert that is repeated after an unknown commit finds its own key, and is the first all the same. */
async function findExisting(
  deps: SubmitDeps,
  jobs: readonly NewJob[],
  stored: ReadonlyMap<JobKey, JobPlace>,
): Promise<(SubmittedRow | null)[]> {
  const missing = jobs.filter((job) => !stored.has(job.key));
  const existing = await findSubmitted(deps.db, missing);
  return jobs.map((job) => {
    if (stored.has(job.key)) return null;
    const row = existing.find(({ orgId, id }) => orgId === job.orgId && id === job.id);
    if (!row) throw new Error('a job was neither stored nor there already');
    return row.key === job.key ? null : row;
  });
}

function toNewJob(catalogue: Catalogue, orgId: OrgId, submission: Submission): Unplaced {
  const { id, type, payload, maxRetries, priority, runAt } = submission;
  const key = newId() as JobKey; // made here, so that it is one
  return {
    key,
    orgId,
    id: id ?? key,
    type,
    queue: catalogue.get(type)?.queue ?? DEFAULT_QUEUE,
    payload: JSON.stringify(payload),
    contentHash: id === undefined ? null : contentHash(submission),
    priority,
    maxRetries,
    runAt,
  };
}

/** The same for two submissions that ask for the same, whatever their spelling and the order of their keys. */
function contentHash({ type, payload, maxRetries, priority, runAt }: Submission): Uint8Array<ArrayBuffer> {
  const content = [type, sortKeys(payload), maxRetries, priority, runAt?.toISOString() ?? null];
  return new Uint8Array(createHash('sha256').update(JSON.stringify(content)).digest());
}

/** Depth is bounded by the check of the payload. Objects become lists of pairs, so that no key is special. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return { object: keys.map((key) => [key, sortKeys(value[key] ?? null)]) };
}

function isSameContent(existing: SubmittedRow, job: Unplaced): boolean {
  if (!existing.contentHash || !job.contentHash) return false;
  return Buffer.compare(existing.contentHash, job.contentHash) === 0;
}
