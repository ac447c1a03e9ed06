import { type Db, registerWorker, removeWorker, renewHeartbeat } from '@jobline/db';
import { elapsedMs, randomId } from '@jobline/runtime';
import type { EngineEvents } from './events.js';

/** A worker's standing among the others: its row, which says that it lives, what it can do and what it consumes. */
export interface Lease {
  /** The identity of now; another one after the worker was declared dead. */
  id(): string;
  /** How long the heartbeat has succeeded without a failure. Below a lease, this worker judges nobody dead. */
  steadyForMs(): number;
  /** How long ago the heartbeat last succeeded; null: not registered, or declared dead. */
  heardAgoMs(): number | null;
  /** Registers, or renews the heartbeat. Never throws; called every fifth of a lease. */
  beat(): Promise<void>;
  /** To be called when Postgres says that this identity is dead. Only the current one can be lost. */
  lose(id: string): void;
  /** Deregisters, once nothing runs any more. */
  end(): Promise<void>;
}

export interface LeaseOptions {
  db: Db;
  events: EngineEvents;
  name: string;
  /** Job type → the queue of its jobs. */
  types: ReadonlyMap<string, string>;
  /** Queue → how many of its jobs it runs at once. */
  queues: ReadonlyMap<string, number>;
  /** Called when the worker was declared dead: its runs may be somebody else's by now. */
  onLost(): void;
}

export function createLease(options: LeaseOptions): Lease {
  const { db, events, name, types, queues } = options;
  let id = randomId();
  let isRegistered = false;
  let steadySince: number | null = null;
  let heardAt: number | null = null;

  let hasEnded = false;
  let beating: Promise<void> | null = null;

  function lose(dead: string): void {
    if (dead !== id) return;
    events.emit('lease.lost', { workerId: id });
    id = randomId();
    isRegistered = false;
    steadySince = null;
    heardAt = null;
    options.onLost();
  }

  async function beatOnce(): Promise<void> {
    const askedAt = performance.now();
    const asked = id;
    try {
      if (!isRegistered) {
        await registerWorker(db, { id, name, types, queues });
        isRegistered = true;
      } else if (!(await renewHeartbeat(db, asked))) {
        lose(asked);
        return;
      }
      steadySince ??= askedAt;
      heardAt = askedAt;
    } catch (error) {
      steadySince = null;
      events.emit('step.failed', { step: 'heartbeat', error });
    }
  }

  return {
    id: () => id,
    steadyForMs: () => (steadySince === null ? 0 : elapsedMs(steadySince)),
    heardAgoMs: () => (heardAt === null ? null : elapsedMs(heardAt)),
    async beat() {
      if (hasEnded) return;
      beating ??= beatOnce().finally(() => {
        beating = null;
      });
      await beating;
    },
    lose,
    async end() {
      hasEnded = true;
      await beating;
      if (isRegistered) await removeWorker(db, id);
    },
  };
}
