import type { JobKey } from '@jobline/contracts';
import {
  type Db,
  dropLease,
  type HotDb,
  holdLease,
  recordTypesSeen,
  removeDeadWorkers,
  withTimeLimit,
} from '@jobline/db';
import {
  type Enqueueable,
  FAIL_AFTER_CRASHES,
  failOrphaned,
  listEnqueued,
  listRuns,
  type Requeueable,
  releaseRuns,
  renewEnqueued,
  takeOverOrphaned,
} from '@jobline/db/job-transitions';
import { failCanceled, failOrphanedCanceled } from './cancel.js';
import { createBulkDetector } from './dispatch/bulk-detector.js';
import type { Enqueue } from './enqueue.js';
import type { EngineEvents } from './events.js';
import { crashedTooOften, REASONS } from './job-log.js';
import { createStranded } from './maintenance/stranded.js';
import type { Producer } from './queue/producer.js';
import type { Lease } from './worker/lease.js';
import type { Runs } from './worker/runs.js';

export interface ReconcileDeps {
  db: Db;
  hot: HotDb;
  queues: readonly string[];
  producer: Producer;
  enqueue: Enqueue;
  events: EngineEvents;
  lease: Lease;
  runs: Runs;
  /** A worker not heard of for so long is dead. */
  leaseMs: number;
}

/** Repairs what crashes and outages left behind. */
export interface Reconcile {
  /**
   * One round, by one worker at a time: notes which job types workers have, takes over the jobs of dead workers, and enqueues
   * what is pending and due but missing in Redis. Its cost does not grow with the number of finished jobs.
   */
  sweep(): Promise<void>;
  /** Gives back the runs that Postgres believes this worker has and it has not: claims whose answer was lost. */
  compareRuns(): Promise<void>;
  /** Lets another worker take over at once. */
  end(): Promise<void>;
}

const LEASE_NAME = 'reconcile';
/** How long the task is held for a worker that does not renew it: no longer than a dead worker is waited for anyway. */
const LONGEST_TTL_MS = 6_000;
const SHORTEST_TTL_MS = 3_000;
const PAGE = 1_000;
/** A round ends there; the next one goes on. */
const MAX_PAGES = 200;
/** An add that is on its way is not missing yet. */
const SETTLED_MS = 1_000;
/** The entry of a job that waits for longer may be in a list that Redis has evicted. */
const OVERDUE_MS = 60_000;
/** After a loss, adds that were on their way may be missing too: look again until they have settled. */
const SUSPECT_FOR_MS = 5_000;
/** Of the statements that an old snapshot makes slow: they hold a connection no longer, and are repeated anyway. */
const STATEMENT_LIMIT_MS = 10_000;

export function createReconcile(deps: ReconcileDeps): Reconcile {
  const { db, events, lease } = deps;
  const ttlMs = Math.min(LONGEST_TTL_MS, Math.max(SHORTEST_TTL_MS, deps.leaseMs));
  const removeStranded = createStranded(deps);
  let cursor: JobKey | null = null;
  let suspectUntil = 0;
  const isBulk = createBulkDetector();

  /** What one organization has lost much of goes behind the jobs of others, as it did at first. */
  function enqueueAgain(jobs: readonly Requeueable[]): Promise<void> {
    return deps.enqueue(jobs.map((job) => ({ ...job, delayMs: 0, isLowPriority: isBulk(job.queue, job.orgId) })));
  }

  async function takeOver(): Promise<void> {
    // An outage of Postgres makes every worker look dead: first all get a full lease to renew their heartbeats.
    if (lease.steadyForMs() < deps.leaseMs) return;
    await removeDeadWorkers(db, { id: lease.id(), leaseMs: deps.leaseMs });
    await eachPage(async () => {
      const jobs = await withTimeLimit(db, STATEMENT_LIMIT_MS, (session) => takeOverOrphaned(session, PAGE));
      if (jobs.length > 0) events.emit('jobs.taken-over', { count: jobs.length });
      await enqueueAgain(jobs);
      return jobs.length === PAGE;
    });
    for (const run of await failOrphaned(db, PAGE, crashedTooOften(FAIL_AFTER_CRASHES)))
      events.emit('job.ended', { ...run, errorCode: 'worker_lost' });
    await failOrphanedCanceled(deps, PAGE);
  }

  /** A page a round, and all pages at once when Redis may have lost data. */
  async function enqueueMissing(): Promise<void> {
    const hasLost = await deps.producer.hasLostData();
    if (hasLost === null) return;
    if (hasLost) suspectUntil = performance.now() + SUSPECT_FOR_MS;
    const isSuspect = performance.now() < suspectUntil;
    if (isSuspect) cursor = null;
    await eachPage(async () => {
      const page = await withTimeLimit(db, STATEMENT_LIMIT_MS, (session) =>
        listEnqueued(session, { after: cursor, limit: PAGE, settledMs: SETTLED_MS, overdueMs: OVERDUE_MS }),
      );
      const isAnswered = await enqueueAbsent(page);
      cursor = page.length === PAGE ? (page.at(-1)?.key ?? null) : null;
      return isAnswered && isSuspect && cursor !== null;
    });
  }

  async function enqueueAbsent(page: readonly (Enqueueable & { isOverdue: boolean })[]): Promise<boolean> {
    // Those of a newer version's queues are left to its workers.
    const own = page.filter(({ queue }) => deps.producer.knows(queue));
    const present = own.length === 0 ? [] : await deps.producer.present(own);
    if (!present) return false;
    const overdue = own.filter(({ isOverdue }, i) => isOverdue && present[i]);
    const listed = overdue.length === 0 ? [] : await deps.producer.listed(overdue);
    if (!listed) return false;
    const unlisted = overdue.filter((_, i) => !listed[i]);

    const absent = [...own.filter((_, i) => !present[i]), ...unlisted];
    const renewed = absent.length === 0 ? [] : await renewEnqueued(db, absent);
    if (renewed.length > 0) events.emit('jobs.re-enqueued', { count: renewed.length });
    await enqueueAgain(renewed);
    for (const entry of unlisted) deps.producer.drop(entry);
    return true;
  }

  return {
    async sweep() {
      if (!(await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs }))) return;
      await recordTypesSeen(db);
      await takeOver();
      await enqueueMissing();
      const stranded = await removeStranded();
      if (stranded > 0) events.emit('jobs.re-enqueued', { count: stranded });
    },
    async compareRuns() {
      const rows = await withTimeLimit(db, STATEMENT_LIMIT_MS, (session) => listRuns(session, lease.id(), PAGE));
      const unknown = rows.filter(({ token }) => !deps.runs.has(token));
      if (unknown.length === 0) return;
      const reason = REASONS.claimAnswerLost;
      const released = await releaseRuns(db, unknown, reason);
      if (released.length < unknown.length) await failCanceled(deps, unknown, reason);
      if (released.length > 0) events.emit('runs.released', { count: released.length, reason });
      await enqueueAgain(released);
    },
    end: () => dropLease(db, { name: LEASE_NAME, holder: lease.id() }),
  };
}

/** Until `work` says that there is no more, or a round has been long enough. */
async function eachPage(work: () => Promise<boolean>): Promise<void> {
  for (let pages = 0; pages < MAX_PAGES && (await work()); pages++);
}
