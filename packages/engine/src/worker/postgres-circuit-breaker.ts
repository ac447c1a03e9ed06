import type { Db } from '@jobline/db';
import { pause } from '@jobline/runtime';
import type { EngineEvents } from '../events.js';

/** Stops the consumers while Postgres does not answer, so that entries stay in their queues meanwhile. */
export interface PostgresCircuitBreaker {
  /** A claim failed because Postgres did not answer. Pauses the consumers until it does. */
  open(error: unknown): void;
  /** Ends the waiting, for a worker that stops. */
  close(): void;
}

const PROBE_EVERY_MS = 500;

export function createPostgresCircuitBreaker(deps: {
  db: Db;
  events: EngineEvents;
  pause(): Promise<void>;
  resume(): Promise<void>;
}): PostgresCircuitBreaker {
  const closed = new AbortController();
  let isOpen = false;

  async function waitForPostgres(): Promise<void> {
    await deps.pause();
    while (!closed.signal.aborted) {
      await pause(PROBE_EVERY_MS, closed.signal);
      try {
        await deps.db.$queryRaw`SELECT 1`;
        break;
      } catch (error) {
        deps.events.emit('step.failed', { step: 'database probe', error });
      }
    }
    if (!closed.signal.aborted) await deps.resume();
  }

  return {
    open(error) {
      if (isOpen || closed.signal.aborted) return;
      isOpen = true;
      deps.events.emit('database.lost', { error });
      waitForPostgres()
        .then(() => deps.events.emit('database.back', {}))
        .catch((cause) => deps.events.emit('step.failed', { step: 'circuit breaker', error: cause }))
        .finally(() => {
          isOpen = false;
        });
    },
    close: () => closed.abort(),
  };
}
