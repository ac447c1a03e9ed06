import { type Db, ping } from '@jobline/db';
import { pause } from '@jobline/runtime';
import type { EngineEvents } from '../reporting/events.js';

const PROBE_EVERY_MS = 500;
/** A first probe that takes longer counts as failed. */
const PROBE_LIMIT_MS = 2_000;

/** Pauses the consumers while Postgres does not answer, so that the entries stay in their queues. */
export function createPostgresCircuitBreaker(deps: {
  db: Db;
  events: EngineEvents;
  pause(): Promise<void>;
  resume(): Promise<void>;
}) {
  const stopped = new AbortController();
  /** A probe runs, or the consumers are paused. */
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

  /** A claim that failed may only have waited too long. */
  async function probe(error: unknown): Promise<void> {
    const isSlow = pause(PROBE_LIMIT_MS, stopped.signal).then(() => error);
    if ((await Promise.race([ping(deps.db), isSlow])) === null) {
      deps.events.emit('step.failed', { step: 'claim', error });
      return;
    }
    deps.events.emit('database.lost', { error });
    await waitForPostgres();
    deps.events.emit('database.back', {});
  }

  return {
    /**
     * Probes Postgres after a claim failed because Postgres did not answer in time. If the probe fails, the circuit opens: the
     * consumers are paused until Postgres answers.
     */
    check(error: unknown): void {
      if (isOpen || stopped.signal.aborted) return;
      isOpen = true;
      probe(error)
        .catch((cause) => deps.events.emit('step.failed', { step: 'circuit breaker', error: cause }))
        .finally(() => {
          isOpen = false;
        });
    },
    /** Stops the probes, for a worker that shuts down. */
    stop: (): void => stopped.abort(),
  };
}
