import type { JobKey } from '@jobline/contracts';
import { recordTypesSeen, removeDeadWorkers, withTimeLimit } from '@jobline/db';
import {
  type EnqueuedJob,
  FAIL_AFTER_CRASHES,
  failOrphaned,
  listEnqueued,
  listRuns,
  type Requeueable,
  releaseRuns,
  renewEnqueued,
  takeOverOrphaned,
} from '@jobline/db/job-transitions';
import type { Runs } from '../attempt/runs.js';
import { failCanceled, failOrphanedCanceled } from '../changes/cancel.js';
import { createBulkDetector } from '../fairness/window.js';
import type { WorkOptions } from '../options.js';
import { type EntryRef, entryOf, submittedChunk } from '../queue/entry.js';
import { crashedTooOften, REASONS } from '../reporting/job-log.js';
import type { Lease } from '../start/lease.js';
import type { Enqueue } from '../submit/enqueue.js';
import { leasedTask } from './task.js';

interface ReconcileDeps extends Pick<WorkOptions, 'db' | 'producer' | 'events' | 'leaseMs' | 'reconcileEveryMs'> {
  queues: readonly string[];
  enqueue: Enqueue;
  lease: Lease;
  runs: Runs;
}

/**
 * Repairs the damage of crashes and outages. A round, which one worker at a time does, notes which job types workers have, takes
 * over the jobs of dead workers, and enqueues jobs that are pending and due but missing in Redis. The cost does not grow with
 * the number of finished jobs.
 */
export type Reconcile = ReturnType<typeof createReconcile>;

const EVERY_MS = 2_000;
/**
 * Limits of the lease time of this task. The maximum is no longer than the time after which a worker counts as dead
 * anyway.
 */
const LONGEST_TTL_MS = 6_000;
const SHORTEST_TTL_MS = 3_000;
const PAGE = 1_000;
/** Maximum number of pages per round. The next round continues. */
const MAX_PAGES = 200;
/** An entry counts as missing only after this time, because its add may still be in progress. */
const SETTLED_MS = 1_000;
/** After this wait, a job may have an entry whose list Redis has evicted. */
const OVERDUE_MS = 60_000;
/** After Redis has lost data, adds in progress may be missing too, so the check is repeated for this time. */
const RECHECK_FOR_MS = 5_000;
/**
 * Time limit of the statements that an old snapshot makes slow, so that they do not hold a connection for long. They
 * are repeated anyway.
 */
const STATEMENT_LIMIT_MS = 10_000;

export function createReconcile(deps: ReconcileDeps) {
  const { db, events, lease, reconcileEveryMs: everyMs = EVERY_MS } = deps;
  let cursor: JobKey | null = null;
  let recheckUntil = 0;
  const isBulk = createBulkDetector();

  /** Gives low priority to the entries of an organization with many of them, as when they were added first. */
  function enqueueAgain(jobs: readonly Requeueable[]): Promise<void> {
    return deps.enqueue(jobs.map((job) => entryOf(job, { isLowPriority: isBulk(job.queue, job.orgId) })));
  }

  async function takeOver(): Promise<void> {
    // An outage of Postgres makes every worker look dead, so all workers first get a full lease to renew their
    // heartbeats.
    if (lease.steadyForMs() < deps.leaseMs) return;
    await removeDeadWorkers(db, { id: lease.id(), leaseMs: deps.leaseMs });
    await eachPage(async () => {
      const jobs = await withTimeLimit(db, STATEMENT_LIMIT_MS, (session) => takeOverOrphaned(session, PAGE));
      if (jobs.length > 0) events.emit('jobs.taken-over', { count: jobs.length });
      await enqueueAgain(jobs);
      return jobs.length === PAGE;
    });
    for (const run of await failOrphaned(db, PAGE, crashedTooOften(FAIL_AFTER_CRASHES)))
      events.emit('job.failed', { ...run, errorCode: 'worker_lost' });
    await failOrphanedCanceled(deps, PAGE);
  }

  /** Checks one page per round, and all pages at once when Redis may have lost data. */
  async function enqueueMissing(): Promise<void> {
    const hasLost = await deps.producer.hasLostData();
    if (hasLost === null) return;
    if (hasLost) recheckUntil = performance.now() + RECHECK_FOR_MS;
    const isRecheck = performance.now() < recheckUntil;
    if (isRecheck) cursor = null;
    await eachPage(async () => {
      const page = await withTimeLimit(db, STATEMENT_LIMIT_MS, (session) =>
        listEnqueued(session, { after: cursor, limit: PAGE, settledMs: SETTLED_MS, overdueMs: OVERDUE_MS }),
      );
      const isAnswered = await enqueueAbsent(page);
      cursor = page.length === PAGE ? (page.at(-1)?.key ?? null) : null;
      return isAnswered && isRecheck && cursor !== null;
    });
  }

  async function enqueueAbsent(page: readonly EnqueuedJob[]): Promise<boolean> {
    // Entries of queues that only a newer version has are left to its workers.
    const own = page.filter(({ queue }) => deps.producer.knows(queue));
    const present = own.length === 0 ? [] : await deps.producer.present(own.map(refOf));
    if (!present) return false;
    const overdue = own.filter(({ isOverdue }, i) => isOverdue && present[i]);
    const listed = overdue.length === 0 ? [] : await deps.producer.listed(overdue.map(refOf));
    if (!listed) return false;
    const unlisted = overdue.filter((_, i) => !listed[i]);

    const absent = [...own.filter((_, i) => !present[i]), ...unlisted];
    const renewed = absent.length === 0 ? [] : await renewEnqueued(db, absent);
    if (renewed.length > 0) events.emit('jobs.re-enqueued', { count: renewed.length });
    await enqueueAgain(renewed);
    for (const job of unlisted) deps.producer.drop(refOf(job));
    return true;
  }

  return {
    ...leasedTask({
      name: 'reconcile',
      db,
      lease,
      ttlMs: Math.min(LONGEST_TTL_MS, Math.max(SHORTEST_TTL_MS, deps.leaseMs)),
      askAgainMs: everyMs,
      failedMs: everyMs,
      async round() {
        await recordTypesSeen(db);
        await takeOver();
        await enqueueMissing();
        return everyMs;
      },
    }),
    /**
     * Releases the runs that belong to this worker in Postgres but that it does not know: the answers to their claims
     * were lost.
     */
    async compareRuns(): Promise<void> {
      const rows = await withTimeLimit(db, STATEMENT_LIMIT_MS, (session) => listRuns(session, lease.id(), PAGE));
      const unknown = rows.filter(({ token }) => !deps.runs.has(token));
      if (unknown.length === 0) return;
      const reason = REASONS.claimAnswerLost;
      const released = await releaseRuns(db, unknown, reason);
      if (released.length < unknown.length) await failCanceled(deps, unknown, reason);
      if (released.length > 0) events.emit('runs.released', { count: released.length, reason });
      await enqueueAgain(released);
    },
  };
}

/** Identifies the entry that carries a job. */
function refOf(job: EnqueuedJob): EntryRef {
  return job.chunkKey === null ? entryOf(job) : submittedChunk(job.queue, job.chunkKey);
}

/** Repeats `work` until it returns false, or until the round has been long enough. */
async function eachPage(work: () => Promise<boolean>): Promise<void> {
  for (let pages = 0; pages < MAX_PAGES && (await work()); pages++);
}
