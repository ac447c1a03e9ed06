import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { failExpired } from '@jobline/db/job-transitions';
import { entryOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import { REASONS } from '../reporting/job-log.js';
import type { Task } from '../tasks/task.js';

const MAX_EXPIRED = 200;
const EVERY_MS = 1_000;
const FAILED_MS = 2_000;

/**
 * Fails pending jobs that have expired, some of each organization in turn. Every process does this: then a job expires in time
 * although no worker is alive.
 */
export function createExpire(deps: { db: Db; producer: Producer; events: EngineEvents }): Task {
  const { db, producer, events } = deps;
  let after: OrgId | null = null;

  async function round(): Promise<number> {
    const page = await failExpired(db, { after, limit: MAX_EXPIRED }, REASONS.expired);
    after = page.after;
    for (const { orgId, type, ...job } of page.jobs) {
      // The entry would be harmless, but it would use capacity in the window of its queue. The entry of a chunk stays.
      producer.drop(entryOf(job));
      events.emit('job.failed', { key: job.key, orgId, type, errorCode: 'expired' });
    }
    return page.jobs.length > 0 || after !== null ? 0 : EVERY_MS;
  }

  return { name: 'expire', round, failedMs: FAILED_MS };
}
