import { listRuns, releaseRuns } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Runs } from '../attempt/runs.js';
import { failCanceled } from '../changes/cancel.js';
import { createBulkDetector } from '../fairness/window.js';
import type { WorkOptions } from '../options.js';
import { entryOf } from '../queue/entry.js';
import { REASONS } from '../reporting/job-log.js';
import type { Lease } from '../start/lease.js';
import type { Enqueue } from '../submit/enqueue.js';

interface CheckRunsDeps extends Pick<WorkOptions, 'db' | 'hot' | 'events'> {
  enqueue: Enqueue;
  lease: Pick<Lease, 'id'>;
  runs: Runs;
}

/**
 * A claim whose answer was lost may be committed this long after it was sent. It is longer than the time limits of a statement and of
 * its connection together.
 */
const DOUBT_MS = 120_000;
/** A worker that has been idle for longer compares this often, in case a statement was delayed by even more. */
const IDLE_EVERY_MS = 30_000;
const PAGE = 1_000;

/** Compares the runs of this worker with its rows in Postgres. */
export function createCheckRuns({ db, hot, events, enqueue, lease, runs }: CheckRunsDeps) {
  let activeAt = Number.NEGATIVE_INFINITY;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const isBulk = createBulkDetector();

  return {
    /** Must be called when a claim is about to be sent. */
    noteClaim(): void {
      activeAt = performance.now();
    },
    /**
     * Fires the signals of runs whose jobs are canceled, in case the published message was lost. Releases the runs that this worker
     * does not know: the answers to their claims were lost, or their outcome could not be recorded. Does nothing while there can be no
     * such run: this worker runs nothing, and has claimed nothing for a while.
     */
    async round(): Promise<void> {
      if (runs.size() > 0) activeAt = performance.now();
      if (elapsedMs(activeAt) > DOUBT_MS && elapsedMs(checkedAt) < IDLE_EVERY_MS) return;
      checkedAt = performance.now();
      const rows = await listRuns(hot, lease.id(), PAGE);
      for (const { token, isCanceled } of rows) if (isCanceled) runs.cancel(token);
      const unknown = rows.filter(({ token }) => !runs.has(token));
      if (unknown.length === 0) return;
      const reason = REASONS.claimAnswerLost;
      const released = await releaseRuns(db, unknown, reason);
      if (released.length < unknown.length) await failCanceled({ db, events }, unknown, reason);
      if (released.length > 0) events.emit('runs.released', { count: released.length, reason });
      await enqueue(released.map((job) => entryOf(job, { isLowPriority: isBulk(job.queue, job.orgId) })));
    },
  };
}
