import type { JobErrorCode, OrgId } from '@jobline/contracts';
import type { Db, HotDb } from '@jobline/db';
import { type EndedPage, failExpired, failWaiting, hasExpired, hasFailing } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { entryOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import { REASONS, WAITED_IN_VAIN } from '../reporting/job-log.js';
import type { Task } from '../tasks/task.js';

interface Deps {
  db: Db;
  hot: HotDb;
  producer: Producer;
  events: EngineEvents;
}

const MAX_FAILED = 200;
const FAILED_MS = 2_000;
const MIN_PAUSE_MS = 10;

/** Fails pending jobs that have expired. An API does it too, so that a job expires in time although no worker is alive. */
export function createExpire(deps: Deps): Task {
  return failPending(deps, {
    name: 'expire',
    code: 'expired',
    everyMs: 1_000,
    isDue: () => hasExpired(deps.hot),
    fail: (page) => failExpired(deps.db, page, REASONS.expired),
  });
}

/** Fails jobs that wait for others in vain, and then those that wait for them. An API does it, too. */
export function createFailWaiting(deps: Deps): Task {
  return failPending(deps, {
    name: 'fail waiting jobs',
    code: 'dependency_failed',
    everyMs: 250,
    isDue: () => hasFailing(deps.hot),
    fail: (page) => failWaiting(deps.db, page, WAITED_IN_VAIN),
  });
}

interface Work {
  name: string;
  code: JobErrorCode;
  everyMs: number;
  isDue(): Promise<boolean>;
  fail(page: { after: OrgId | null; limit: number }): Promise<EndedPage>;
}

/** Fails some jobs of each organization in turn. While there is more to do, it uses at most a third of the time. */
function failPending({ producer, events }: Deps, { name, code, everyMs, isDue, fail }: Work): Task {
  let after: OrgId | null = null;

  async function round(): Promise<number> {
    if (after === null && !(await isDue())) return everyMs;
    const startedAt = performance.now();
    const page = await fail({ after, limit: MAX_FAILED });
    const tookMs = elapsedMs(startedAt);
    after = page.after;
    for (const { orgId, type, ...job } of page.jobs) {
      // The entry would be harmless, but it would use capacity in the window of its queue. The entry of a chunk stays.
      producer.drop(entryOf(job));
      events.emit('job.failed', { key: job.key, orgId, type, errorCode: code });
    }
    return page.jobs.length > 0 || after !== null ? Math.max(MIN_PAUSE_MS, 2 * tookMs) : everyMs;
  }

  return { name, round, failedMs: FAILED_MS };
}
