import type { EngineEvents } from './events.js';
import type { Entry, Producer } from './queue/producer.js';

/**
 * Hands stored jobs to their queues: their keys alone. Never throws and need not be waited for: what Redis does not
 * take in time stays pending in Postgres, where reconcile finds it.
 */
export type Enqueue = (entries: readonly Entry[]) => Promise<void>;

export function createEnqueue(deps: { producer: Producer; events: EngineEvents }): Enqueue {
  return async (entries) => {
    if (entries.length === 0) return;
    const isAdded = await deps.producer.add(entries);
    if (!isAdded) deps.events.emit('enqueue.skipped', { count: entries.length });
  };
}
