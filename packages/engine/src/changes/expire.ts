import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { failExpired } from '@jobline/db/job-transitions';
import { elapsedMs, newId } from '@jobline/runtime';
import { entryOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import { REASONS } from '../reporting/job-log.js';
import { type LeasedTask, leasedTask } from '../tasks/task.js';

const MAX_EXPIRED = 200;
const EVERY_MS = 1_000;
const FAILED_MS = 2_000;
/** If the holder of the lease dies, another process continues within three seconds. */
const LEASE_TTL_MS = 2_000;
const MIN_PAUSE_MS = 10;

/**
 * Fails pending jobs that have expired, some of each organization in turn. One process at a time does this, an API or a worker:
 * then a job expires in time although no worker is alive. While there is more to do, it uses at most half of the time.
 */
export function createExpire(deps: { db: Db; producer: Producer; events: EngineEvents }): LeasedTask {
  const { db, producer, events } = deps;
  const id = newId();
  let after: OrgId | null = null;

  async function round(): Promise<number> {
    const startedAt = performance.now();
    const page = await failExpired(db, { after, limit: MAX_EXPIRED }, REASONS.expired);
    const tookMs = elapsedMs(startedAt);
    after = page.after;
    for (const { orgId, type, ...job } of page.jobs) {
      // The entry would be harmless, but it would use capacity in the window of its queue. The entry of a chunk stays.
      producer.drop(entryOf(job));
      events.emit('job.failed', { key: job.key, orgId, type, errorCode: 'expired' });
    }
    return page.jobs.length > 0 || after !== null ? Math.max(MIN_PAUSE_MS, tookMs) : EVERY_MS;
  }

  return leasedTask({
    name: 'expire',
    db,
    lease: { id: () => id },
    ttlMs: LEASE_TTL_MS,
    renewAfterMs: LEASE_TTL_MS / 4,
    askAgainMs: EVERY_MS,
    failedMs: FAILED_MS,
    round,
  });
}
