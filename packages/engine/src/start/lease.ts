import { type HotDb, registerWorker, removeWorker, renewHeartbeat, type WorkerType } from '@jobline/db';
import { elapsedMs, randomId } from '@jobline/runtime';
import type { WorkOptions } from '../options.js';

/** The registration of a worker: its row states that it is alive, what it can run and what it consumes. */
export type Lease = ReturnType<typeof createLease>;

interface LeaseOptions extends Pick<WorkOptions, 'events' | 'name' | 'version' | 'leaseMs' | 'queues'> {
  /** A separate pool, so that a heartbeat never waits for a connection that other work uses. */
  db: HotDb;
  types: ReadonlyMap<string, WorkerType>;
  /** Called when the worker was declared dead: another worker may have taken over its runs. */
  onLost(): void;
}

/**
 * A successful heartbeat: when it was sent, by the clock of this machine, and when it was written, by the clock of
 * Postgres.
 */
interface Heartbeat {
  sentAt: number;
  writtenAt: number;
}

export function createLease(options: LeaseOptions) {
  const { db, events, leaseMs } = options;
  let id = randomId();
  let isRegistered = false;
  let lastBeat: Heartbeat | null = null;
  let steadySince: number | null = null;

  let isDraining = false;
  let hasEnded = false;
  let beating: Promise<void> | null = null;

  function lose(dead: string): void {
    if (dead !== id || !isRegistered) return;
    events.emit('lease.lost', { workerId: id });
    id = randomId();
    isRegistered = false;
    lastBeat = null;
    steadySince = null;
    options.onLost();
  }

  async function beatOnce(): Promise<void> {
    const sentAt = performance.now();
    // The identity cannot change while it registers: only a registered one can be lost.
    const asked = id;
    try {
      const writtenAt = isRegistered
        ? await renewHeartbeat(db, { id: asked, isDraining })
        : await registerWorker(db, { id: asked, isDraining, ...options });
      if (writtenAt === null) lose(asked);
      else if (asked === id) note({ sentAt, writtenAt: writtenAt.getTime() });
    } catch (error) {
      steadySince = null;
      events.emit('step.failed', { step: 'heartbeat', error });
    }
  }

  /**
   * If this worker was frozen, or if Postgres did not respond, all other workers look dead: the healthy time starts
   * again.
   */
  function note(now: Heartbeat): void {
    const gapMs =
      lastBeat === null ? 0 : Math.max(performance.now() - lastBeat.sentAt, now.writtenAt - lastBeat.writtenAt);
    isRegistered = true;
    lastBeat = now;
    if (gapMs > leaseMs / 2) steadySince = performance.now();
    else steadySince ??= now.sentAt;
  }

  async function beat(): Promise<void> {
    if (hasEnded) return;
    beating ??= beatOnce().finally(() => {
      beating = null;
    });
    await beating;
  }

  return {
    /** The current identity. It changes only after a registered worker was declared dead. */
    id: (): string => id,
    /** The identity with which jobs may be claimed. Null while the worker is not registered. */
    registeredId: (): string | null => (isRegistered ? id : null),
    /**
     * How long this worker has been healthy without a gap: no heartbeat failed, and none came more than half a lease
     * after the previous one, by the clock of this machine or of Postgres, and the latest is no older than that. If this
     * is less than a full lease, the worker declares no other worker dead.
     */
    steadyForMs(): number {
      // After a freeze, reconcile may run before the next heartbeat succeeds.
      const isRecent = lastBeat !== null && elapsedMs(lastBeat.sentAt) <= leaseMs / 2;
      return steadySince === null || !isRecent ? 0 : elapsedMs(steadySince);
    },
    /** Time since the last successful heartbeat. Null if the worker is not registered or was declared dead. */
    heartbeatAgeMs: (): number | null => (lastBeat === null ? null : elapsedMs(lastBeat.sentAt)),
    /** Registers, or renews the heartbeat. Never throws. Called every fifth of a lease. */
    beat,
    /**
     * Must be called when Postgres reports that this identity is dead. Has no effect on an identity that is not
     * registered.
     */
    lose,
    /** From now on the row of this worker says that it drains. If Postgres does not answer, the next heartbeat says it. */
    async drain(): Promise<void> {
      isDraining = true;
      // One that began before does not say it.
      await beating;
      await beat();
    },
    /** Deregisters. Called when nothing runs any more. */
    async end(): Promise<void> {
      hasEnded = true;
      await beating;
      if (isRegistered) await removeWorker(db, id);
    },
  };
}
