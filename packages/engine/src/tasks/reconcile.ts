import type { JobKey } from '@jobline/contracts';
import { recordTypesSeen, removeDeadWorkers, withTimeLimit } from '@jobline/db';
import {
  type EnqueuedJob,
  FAIL_AFTER_CRASHES,
  failOrphaned,
  listEnqueued,
  type Requeueable,
  renewEnqueued,
  takeOverOrphaned,
  unparkKnown,
} from '@jobline/db/job-transitions';
import { failOrphanedCanceled } from '../changes/cancel.js';
import { createBulkDetector } from '../fairness/window.js';
import type { WorkOptions } from '../options.js';
import { entryOf } from '../queue/entry.js';
import { MAX_OPEN_QUEUES } from '../queue/producer.js';
import { crashedTooOften } from '../reporting/job-log.js';
import type { Lease } from '../start/lease.js';
import type { Enqueue } from '../submit/enqueue.js';
import type { Task } from './task.js';

interface ReconcileDeps
  extends Pick<WorkOptions, 'db' | 'hot' | 'producer' | 'events' | 'leaseMs' | 'reconcileEveryMs'> {
  queues: readonly string[];
  enqueue: Enqueue;
  lease: Lease;
}

const EVERY_MS = 2_000;
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

/**
 * Repairs the damage of crashes and outages. A round, which one worker at a time does, notes which job types workers have, starts
 * the jobs that waited for one of them, takes over the jobs of dead workers, and enqueues jobs that are pending and due but missing in Redis. The cost does not grow with
 * the number of finished jobs.
 */
export function createReconcile(deps: ReconcileDeps): Task {
  const { db, events, lease, reconcileEveryMs: everyMs = EVERY_MS } = deps;
  let cursor: JobKey | null = null;
  let recheckUntil = 0;
  /** The queues that have a mark in Redis: those of the built-in types, and those in which this process has found jobs. */
  const queues = new Set(deps.queues);
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

  /** Starts the jobs that wait for the first worker of their type. */
  function unpark(): Promise<void> {
    return eachPage(async () => {
      const count = await unparkKnown(deps.hot, { leaseMs: deps.leaseMs, limit: PAGE });
      if (count > 0) deps.producer.publishWaiting();
      return count >= PAGE;
    });
  }

  /** Checks one page per round, and all pages at once when Redis may have lost data. */
  async function enqueueMissing(): Promise<void> {
    const hasLost = await deps.producer.hasLostData([...queues]);
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
    // Without a mark, the entries of a queue are only compared page by page.
    for (const { queue } of page) if (queues.size < MAX_OPEN_QUEUES) queues.add(queue);
    const present = page.length === 0 ? [] : await deps.producer.present(page.map((job) => entryOf(job)));
    if (!present) return false;
    const overdue = page.filter(({ isOverdue }, i) => isOverdue && present[i]);
    const listed = overdue.length === 0 ? [] : await deps.producer.listed(overdue.map((job) => entryOf(job)));
    if (!listed) return false;
    const unlisted = overdue.filter((_, i) => !listed[i]);

    const absent = [...page.filter((_, i) => !present[i]), ...unlisted];
    const renewed = absent.length === 0 ? [] : await renewEnqueued(db, absent);
    if (renewed.length > 0) events.emit('jobs.re-enqueued', { count: renewed.length });
    await enqueueAgain(renewed);
    for (const job of unlisted) deps.producer.drop(entryOf(job));
    return true;
  }

  return {
    name: 'reconcile',
    failedMs: everyMs,
    async round() {
      await recordTypesSeen(db);
      await unpark();
      await takeOver();
      await enqueueMissing();
      return everyMs;
    },
  };
}

/** Repeats `work` until it returns false, or until the round has been long enough. */
async function eachPage(work: () => Promise<boolean>): Promise<void> {
  for (let pages = 0; pages < MAX_PAGES && (await work()); pages++);
}
