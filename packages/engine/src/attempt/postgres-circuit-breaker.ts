import { type Db, ping } from '@jobline/db';
import { pause } from '@jobline/runtime';
import type { EngineEvents } from '../reporting/events.js';

const PROBE_EVERY_MS = 500;

/** Pauses the consumers while Postgres does not answer, so that the entries stay in their queues. */
export function createPostgresCircuitBreaker(deps: {
  db: Db;
  events: EngineEvents;
  pause(): Promise<void>;
  resume(): Promise<void>;
}) {
  const stopped = new AbortController();
  let isOpen = false;

  async function waitForPostgres(): Promise<void> {
    await deps.pause();
    while (!stopped.signal.aborted) {
      await pause(PROBE_EVERY_MS, stopped.signal);
      const error = await ping(deps.db);
      if (error === null) break;
      deps.events.emit('step.failed', { step: 'database probe', error });
    }
    if (!stopped.signal.aborted) await deps.resume();
  }

  return {
    /** Opens the circuit after a claim failed because Postgres did not answer: pauses the consumers until it answers. */
    open(error: unknown): void {
      if (isOpen || stopped.signal.aborted) return;
      isOpen = true;
      deps.events.emit('database.lost', { error });
      waitForPostgres()
        .then(() => deps.events.emit('database.back', {}))
        .catch((cause) => deps.events.emit('step.failed', { step: 'circuit breaker', error: cause }))
        .finally(() => {
          isOpen = false;
        });
    },
    /** Stops the probes, for a worker that shuts down. */
    stop: (): void => stopped.abort(),
  };
}
