import type { DbSession } from './client.js';
import type { HotDb } from './hot.js';

export interface WorkerIdentity {
  id: string;
  /** For people: host and process id. */
  name: string;
  /** Job type → the queue of its jobs. */
  types: ReadonlyMap<string, string>;
  /** Queue → how many of its jobs it runs at once. */
  queues: ReadonlyMap<string, number>;
}

/** Adds the worker's row. Safe to repeat after an answer was lost. Returns the time of its heartbeat. */
export async function registerWorker(db: HotDb, worker: WorkerIdentity): Promise<Date | null> {
  const { id, name, types, queues } = worker;
  const [row] = await db.query<{ at: Date }>`
    INSERT INTO workers (id, name, types, type_queues, queues, concurrency, started_at, heartbeat_at)
    VALUES (${id}::uuid, ${name}, ${[...types.keys()]}::text[], ${[...types.values()]}::text[], ${[...queues.keys()]}::text[],
      ${[...queues.values()]}::int[], clock_timestamp(), clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
    RETURNING heartbeat_at AS at`;
  return row?.at ?? null;
}

/** Job type → queue, as live workers have published it; where they differ, as the latest says. */
export async function listRoutes(db: DbSession): Promise<ReadonlyMap<string, string>> {
  const rows = await db.$queryRaw<{ type: string; queue: string }[]>`
    SELECT t.type, t.queue FROM workers w, unnest(w.types, w.type_queues) AS t(type, queue)
    WHERE t.type IS NOT NULL AND t.queue IS NOT NULL ORDER BY w.started_at`;
  return new Map(rows.map(({ type, queue }) => [type, queue]));
}

/** Renews a worker's heartbeat and returns its time; null: the worker was declared dead, and others may run its jobs. */
export async function renewHeartbeat(db: HotDb, id: string): Promise<Date | null> {
  const [row] = await db.query<{ at: Date }>`
    UPDATE workers SET heartbeat_at = clock_timestamp() WHERE id = ${id}::uuid RETURNING heartbeat_at AS at`;
  return row?.at ?? null;
}

/**
 * Declares dead, by removing them, the workers whose heartbeat is older than a lease. Removes none unless the heartbeat of
 * the worker that asks is at most half a lease old: one that was frozen just now sees everybody as late.
 */
export async function removeDeadWorkers(db: DbSession, asking: { id: string; leaseMs: number }): Promise<string[]> {
  const { id, leaseMs } = asking;
  const dead = await db.$queryRaw<{ id: string }[]>`
    DELETE FROM workers WHERE heartbeat_at < clock_timestamp() - ${leaseMs} * interval '1 ms'
      AND EXISTS (SELECT 1 FROM workers AS asking
        WHERE asking.id = ${id}::uuid AND asking.heartbeat_at > clock_timestamp() - ${leaseMs / 2} * interval '1 ms')
    RETURNING id`;
  return dead.map((worker) => worker.id);
}

export async function removeWorker(db: HotDb, id: string): Promise<void> {
  await db.query`DELETE FROM workers WHERE id = ${id}::uuid`;
}

/** Takes or renews a task's lease. False: another worker holds it. */
export async function holdLease(
  db: DbSession,
  lease: { name: string; holder: string; ttlMs: number },
): Promise<boolean> {
  const held = await db.$executeRaw`
    INSERT INTO leases (name, holder, expires_at)
    VALUES (${lease.name}, ${lease.holder}::uuid, clock_timestamp() + ${lease.ttlMs} * interval '1 ms')
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE leases.holder = excluded.holder OR leases.expires_at < clock_timestamp()`;
  return held > 0;
}

/** Gives a lease back early, so that another worker need not wait for its end. */
export async function dropLease(db: DbSession, lease: { name: string; holder: string }): Promise<void> {
  await db.lease.deleteMany({ where: lease });
}

/** Queue → how many of its jobs all live workers together run at once. */
export async function liveConcurrency(db: DbSession): Promise<ReadonlyMap<string, number>> {
  const rows = await db.$queryRaw<{ queue: string; concurrency: number }[]>`
    SELECT q.queue, sum(q.concurrency)::int AS concurrency
    FROM workers w, unnest(w.queues, w.concurrency) AS q(queue, concurrency) GROUP BY q.queue`;
  return new Map(rows.map(({ queue, concurrency }) => [queue, concurrency]));
}
