import type { GuardedConnection } from './guarded-connection.js';
import { listKey } from './names.js';

/** Longer lists are not read, so that one look at them is bounded. */
const MAX_LISTED = 100_000;

/**
 * Whether each entry of a queue is waiting, delayed or active by the queue's own lists, at one moment. Null if Redis did not
 * answer. Of lists that are too long to be read, every entry counts as one of theirs.
 */
export async function readLists(
  guarded: GuardedConnection,
  prefix: string,
  queue: string,
  ids: readonly string[],
): Promise<boolean[] | null> {
  const key = (list: 'wait' | 'active' | 'prioritized' | 'delayed') => listKey(prefix, queue, list);
  const answers = await guarded.request((redis) =>
    // Its commands are carried out together, so no entry is between two lists.
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
