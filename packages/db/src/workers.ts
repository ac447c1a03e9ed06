import type { DbSession } from './client.js';

export interface WorkerIdentity {
  id: string;
  /** For people: host and process id. */
  name: string;
  /** Job type → the queue of its jobs. */
  types: ReadonlyMap<string, string>;
  /** Queue → how many of its jobs it runs at once. */
  queues: ReadonlyMap<string, number>;
}

export async function registerWorker(db: DbSession, worker: WorkerIdentity): Promise<void> {
  const { id, name, types, queues } = worker;
  const data = {
    id,
    name,
    types: [...types.keys()],
    typeQueues: [...types.values()],
    queues: [...queues.keys()],
    concurrency: [...queues.values()],
  };
  await db.worker.create({ data });
}

/** Job type → queue, as live workers have published it; where they differ, as the latest says. */
export async function listRoutes(db: DbSession): Promise<ReadonlyMap<string, string>> {
  const rows = await db.$queryRaw<{ type: string; queue: string }[]>`
    SELECT t.type, t.queue FROM workers w, unnest(w.types, w.type_queues) AS t(type, queue)
    WHERE t.type IS NOT NULL AND t.queue IS NOT NULL ORDER BY w.started_at`;
  return new Map(rows.map(({ type, queue }) => [type, queue]));
}

/** Renews a worker's heartbeat. False: it was declared dead meanwhile, and its runs may be somebody else's. */
export async function renewHeartbeat(db: DbSession, id: string): Promise<boolean> {
  const renewed = await db.$executeRaw`
    UPDATE workers SET heartbeat_at = clock_timestamp() WHERE id = ${id}::uuid`;
  return renewed > 0;
}

/** Declares dead, by removing them, the workers whose heartbeat is older than a lease. */
export async function removeDeadWorkers(db: DbSession, leaseMs: number): Promise<string[]> {
  const dead = await db.$queryRaw<{ id: string }[]>`
    DELETE FROM workers WHERE heartbeat_at < clock_timestamp() - ${leaseMs} * interval '1 ms' RETURNING id`;
  return dead.map((worker) => worker.id);
}

export async function removeWorker(db: DbSession, id: string): Promise<void> {
  await db.worker.deleteMany({ where: { id } });
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
