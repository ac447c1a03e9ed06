import { type HotDb, registerWorker, removeWorker, renewHeartbeat } from '@jobline/db';
import { elapsedMs, randomId } from '@jobline/runtime';
import type { EngineEvents } from '../events.js';

/** A worker's membership: its row says that it is alive, what it can run and what it consumes. */
export interface Lease {
  /** The current identity. It changes only after a registered worker was declared dead. */
  id(): string;
  /** The identity under which jobs may be claimed; null while it is not registered. */
  registeredId(): string | null;
  /**
   * How long this worker has been healthy without a gap: no heartbeat failed, and none came more than half a lease after
   * the one before, by this machine's clock or by Postgres'; the latest is no older than that. Below a full lease it declares
   * nobody dead.
   */
  steadyForMs(): number;
  /** How long ago the heartbeat last succeeded; null: not registered, or declared dead. */
  heardAgoMs(): number | null;
  /** Registers, or renews the heartbeat. Never throws; called every fifth of a lease. */
  beat(): Promise<void>;
  /** To be called when Postgres says that this identity is dead. Has no effect on an identity that is not registered. */
  lose(id: string): void;
  /** Deregisters, once nothing runs any more. */
  end(): Promise<void>;
}

export interface LeaseOptions {
  /** A pool of its own: a heartbeat never waits for a connection that other work holds. */
  db: HotDb;
  events: EngineEvents;
  name: string;
  leaseMs: number;
  /** Job type → the queue of its jobs. */
  types: ReadonlyMap<string, string>;
  /** Queue → how many of its jobs it runs at once. */
  queues: ReadonlyMap<string, number>;
  /** Called when the worker was declared dead: another worker may have taken over its runs. */
  onLost(): void;
}

/** A heartbeat that succeeded: when it was sent by this machine's clock, and when Postgres wrote it by its own. */
interface Heard {
  sentAt: number;
  writtenAt: number;
}

export function createLease(options: LeaseOptions): Lease {
  const { db, events, leaseMs } = options;
  let id = randomId();
  let isRegistered = false;
  let heard: Heard | null = null;
  let steadySince: number | null = null;

  let hasEnded = false;
  let beating: Promise<void> | null = null;

  function lose(dead: string): void {
    if (dead !== id || !isRegistered) return;
    events.emit('lease.lost', { workerId: id });
    id = randomId();
    isRegistered = false;
    heard = null;
    steadySince = null;
    options.onLost();
  }

  async function beatOnce(): Promise<void> {
    const sentAt = performance.now();
    // The identity cannot change while it registers: only a registered one can be lost.
    const asked = id;
    try {
      const writtenAt = isRegistered
        ? await renewHeartbeat(db, asked)
        : await registerWorker(db, { id: asked, ...options });
      if (writtenAt === null) lose(asked);
      else if (asked === id) note({ sentAt, writtenAt: writtenAt.getTime() });
    } catch (error) {
      steadySince = null;
      events.emit('step.failed', { step: 'heartbeat', error });
    }
  }

  /** A worker that was frozen, or a Postgres that stood still, makes all others look dead: healthy time starts again. */
  function note(now: Heard): void {
    const gapMs = heard === null ? 0 : Math.max(performance.now() - heard.sentAt, now.writtenAt - heard.writtenAt);
    isRegistered = true;
    heard = now;
    if (gapMs > leaseMs / 2) steadySince = performance.now();
    else steadySince ??= now.sentAt;
  }

  return {
    id: () => id,
    registeredId: () => (isRegistered ? id : null),
    steadyForMs() {
      // After a freeze, others are looked at before the next heartbeat is heard of.
      const isHeard = heard !== null && elapsedMs(heard.sentAt) <= leaseMs / 2;
      return steadySince === null || !isHeard ? 0 : elapsedMs(steadySince);
    },
    heardAgoMs: () => (heard === null ? null : elapsedMs(heard.sentAt)),
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
