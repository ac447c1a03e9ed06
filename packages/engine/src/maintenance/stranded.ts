import type { OrgId } from '@jobline/contracts';
import type { HotDb } from '@jobline/db';
import { type Enqueueable, listWaiting, listWaitingOrgs } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';

/** Those that come next are looked at, and the others once they come next. */
const MAX_ORGS = 100;
const MAX_ROWS = 1_000;
const EVERY_MS = 60_000;

/**
 * Removes the entries of waiting jobs that are in none of their queue's lists, because a Redis that evicts has lost the list:
 * they would never be delivered, and their jobs could not be added again under the same number. Answers with how many; looks
 * once a minute, at a bounded number of jobs of each queue.
 */
export function createStranded(deps: {
  hot: HotDb;
  producer: Pick<Producer, 'present' | 'listed' | 'drop'>;
  queues: readonly string[];
}): () => Promise<number> {
  const { hot, producer } = deps;
  const lookedUpTo = new Map<string, OrgId | null>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** What the dispatcher has added to a queue, or may add next. */
  async function nextOf(queue: string): Promise<Enqueueable[]> {
    const orgs = await listWaitingOrgs(hot, queue, { after: lookedUpTo.get(queue) ?? null, limit: MAX_ORGS });
    lookedUpTo.set(queue, orgs.length === MAX_ORGS ? (orgs.at(-1) ?? null) : null);
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
    if (elapsedMs(lookedAt) < EVERY_MS) return 0;
    lookedAt = performance.now();
    let count = 0;
    for (const queue of deps.queues) count += await removeOf(queue);
    return count;
  };
}
