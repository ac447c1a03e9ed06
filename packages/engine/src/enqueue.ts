import type { EngineEvents } from './events.js';
import type { Entry, Producer } from './queue/producer.js';

/**
 * Hands stored jobs to their queues: their keys alone. Never throws and need not be waited for. What Redis does not take
 * in time is added again as soon as it answers, which changes nothing if it is there; beyond a bound, or if this process
 * ends before, it stays pending in Postgres, where reconcile finds it.
 */
export type Enqueue = (entries: readonly Entry[]) => Promise<void>;

const MAX_SKIPPED = 10_000;

export function createEnqueue({
  producer,
  events,
}: {
  producer: Pick<Producer, 'add' | 'onReady'>;
  events: EngineEvents;
}): Enqueue {
  const skipped: Entry[] = [];

  async function enqueue(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0 || (await producer.add(entries))) return;
    skipped.push(...entries.slice(0, MAX_SKIPPED - skipped.length));
    events.emit('enqueue.skipped', { count: entries.length });
  }

  producer.onReady(() => void enqueue(skipped.splice(0)));
  return enqueue;
}
