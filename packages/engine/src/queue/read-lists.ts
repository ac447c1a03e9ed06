import type { GuardedConnection } from './guarded-connection.js';
import { listKey } from './names.js';

/** Maximum number of entries that are read from a list. */
const MAX_LISTED = 100_000;

/**
 * Returns for each entry of a queue whether it is waiting, delayed or active according to the lists of the queue, at
 * one moment. Returns null if Redis did not answer. If a list is too long to be read, every entry counts as listed.
 */
export async function readLists(
  guarded: GuardedConnection,
  prefix: string,
  queue: string,
  ids: readonly string[],
): Promise<boolean[] | null> {
  const key = (list: 'wait' | 'active' | 'prioritized' | 'delayed') => listKey(prefix, queue, list);
  const answers = await guarded.request((redis) =>
    // The commands run as one transaction, so no entry is between two lists.
    redis
      .multi()
      .lrange(key('wait'), 0, MAX_LISTED)
      .lrange(key('active'), 0, MAX_LISTED)
      .zmscore(key('prioritized'), ...ids)
      .zmscore(key('delayed'), ...ids)
      .exec(),
  );
  if (!answers || answers.some(([error]) => error)) return null;
  const [waiting = [], active = [], prioritized = [], delayed = []] = answers.map(([, value]) => asArray(value));
  if (waiting.length > MAX_LISTED || active.length > MAX_LISTED) return ids.map(() => true);
  const inLists = new Set([...waiting, ...active]);
  return ids.map((id, i) => inLists.has(id) || prioritized[i] != null || delayed[i] != null);
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
