import type { OrgId } from '@jobline/contracts';
import type { Db, HotDb } from '@jobline/db';
import { hasUnsettled, retryAllFailed, settleNext } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import { NOTES } from '../reporting/job-log.js';
import type { Task } from './task.js';

const EVERY_MS = 250;
const FAILED_MS = 2_000;
const MIN_PAUSE_MS = 5;

/**
 * Settles the conditions that the end of a job has left, one job of each organization in turn, and has jobs start again that failed only
 * because of a job that was retried. While there is more to do, it uses at most a third of the time.
 */
export function createSettle(deps: { db: Db; hot: HotDb; producer: Producer; events: EngineEvents }): Task {
  const { db, hot, producer, events } = deps;
  let after: OrgId | null = null;

  async function round(): Promise<number> {
    if (after === null && !(await hasUnsettled(hot))) return EVERY_MS;
    const startedAt = performance.now();
    const settled = await settleNext(db, after, (tx, keys) =>
      retryAllFailed(tx, keys, NOTES.revived, { code: 'dependency_failed' }),
    );
    after = settled?.orgId ?? null;
    if (settled) producer.publishWaiting();
    for (const { key, orgId, type } of settled?.revived ?? []) events.emit('job.retried', { key, orgId, type });
    return Math.max(MIN_PAUSE_MS, 2 * elapsedMs(startedAt));
  }

  return { name: 'settle conditions', round, failedMs: FAILED_MS };
}
