import type { OrgId } from '@jobline/contracts';
import type { HotDb } from '@jobline/db';
import { type Enqueueable, listWaiting, listWaitingOrgs } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';

/** Only the next organizations are checked; the others follow when they are next. */
const MAX_ORGS = 100;
const MAX_ROWS = 1_000;
const EVERY_MS = 60_000;

/**
 * Removes the entries of waiting jobs that are in none of the lists of their queue, because Redis has evicted the
 * list: they would never be delivered, and their jobs could not be added again under the same number. Returns their
 * number. Checks once per minute, for a bounded number of jobs of each queue.
 */
export function createStranded(deps: {
  hot: HotDb;
  producer: Pick<Producer, 'present' | 'listed' | 'drop'>;
  queues: readonly string[];
}): () => Promise<number> {
  const { hot, producer } = deps;
  const checkedUpTo = new Map<string, OrgId | null>();
  let checkedAt = Number.NEGATIVE_INFINITY;

  /** Lists the jobs that the dispatcher has added to a queue, or may add next. */
  async function nextOf(queue: string): Promise<Enqueueable[]> {
    const orgs = await listWaitingOrgs(hot, queue, { after: checkedUpTo.get(queue) ?? null, limit: MAX_ORGS });
    checkedUpTo.set(queue, orgs.length === MAX_ORGS ? (orgs.at(-1) ?? null) : null);
    const from = orgs.map((orgId) => ({ orgId, after: null }));
    return orgs.length === 0 ? [] : listWaiting(hot, queue, from, { limit: MAX_ROWS, except: { keys: [], types: [] } });
  }

  async function removeOf(queue: string): Promise<number> {
    const rows = await nextOf(queue);
    const present = rows.length === 0 ? [] : await producer.present(rows);
    const entries = rows.filter((_, i) => present?.[i]);
    const listed = entries.length === 0 ? [] : await producer.listed(entries);
    const stranded = listed ? entries.filter((_, i) => !listed[i]) : [];
    for (const entry of stranded) producer.drop(entry);
    return stranded.length;
  }

  return async () => {
    if (elapsedMs(checkedAt) < EVERY_MS) return 0;
    checkedAt = performance.now();
    let count = 0;
    for (const queue of deps.queues) count += await removeOf(queue);
    return count;
  };
}
