import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';

/** What a worker publishes about one of its job types. */
export interface WorkerType {
  queue: string;
  timeoutMs: number;
  /** The `max_retries` of submissions that name none. Absent: its handler has no default. */
  maxRetries?: number | undefined;
  /** The JSON Schema of its payload as JSON text; null: it publishes none. */
  schema: string | null;
}

/**
 * SQL: whether worker `w` takes jobs: it has sent a heartbeat within a lease, and does not drain. Whatever asks who can
 * run a job uses it.
 */
export function takesJobs(leaseMs: number): Prisma.Sql {
  return Prisma.sql`(w.heartbeat_at > clock_timestamp() - ${leaseMs}::float8 * interval '1 ms' AND NOT w.draining)`;
}

/** SQL: whether a job runs on a worker that takes jobs. The slots of draining workers are not counted, so neither are their jobs. */
export const USES_SLOT = Prisma.sql`worker_id <> ALL (ARRAY(SELECT id FROM workers WHERE draining))`;

export interface WorkerIdentity {
  id: string;
  /** For people: host and process id. */
  name: string;
  /** The version of its handlers; null: it names none. */
  version?: string | null | undefined;
  types: ReadonlyMap<string, WorkerType>;
  /** Queue → how many of its jobs the worker runs at the same time. */
  queues: ReadonlyMap<string, number>;
  /** Whether it finishes its attempts and takes no jobs. Absent: no. */
  isDraining?: boolean;
}

/**
 * Adds the worker's row and publishes its types. Safe to repeat after a lost response. Returns the time of its
 * heartbeat.
 */
export async function registerWorker(db: HotDb, worker: WorkerIdentity): Promise<Date | null> {
  const { id, name, version = null, queues, isDraining = false } = worker;
  const types = [...worker.types.keys()];
  const published = [...worker.types.values()];
  const typeQueues = published.map(({ queue }) => queue);
  const [row] = await db.query<{ at: Date }>`
    WITH k AS (
      INSERT INTO job_types (type, queue, last_seen_at, max_retries)
      -- In a fixed order, so that workers that start together wait for each other and do not deadlock.
      SELECT type, queue, clock_timestamp(), max_retries
      FROM unnest(${types}::text[], ${typeQueues}::text[], ${published.map(({ maxRetries = null }) => maxRetries)}::int[])
        AS n(type, queue, max_retries) ORDER BY type
      ON CONFLICT (type) DO UPDATE SET queue = excluded.queue, last_seen_at = excluded.last_seen_at,
        max_retries = excluded.max_retries),
    p AS (
      INSERT INTO worker_types (worker_id, type, timeout_ms, schema, schema_hash, schema_bytes)
      SELECT ${id}::uuid, type, timeout_ms, schema::json, encode(sha256(convert_to(schema, 'UTF8')), 'hex'), octet_length(schema)
      FROM unnest(${types}::text[], ${published.map(({ timeoutMs }) => timeoutMs)}::int[], ${published.map(({ schema }) => schema)}::text[])
        AS n(type, timeout_ms, schema)
      ON CONFLICT DO NOTHING)
    INSERT INTO workers (id, name, version, types, type_queues, queues, concurrency, started_at, heartbeat_at, draining)
    VALUES (${id}::uuid, ${name}, ${version}, ${types}::text[], ${typeQueues}::text[], ${[...queues.keys()]}::text[],
      ${[...queues.values()]}::int[], clock_timestamp(), clock_timestamp(), ${isDraining})
    ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
    RETURNING heartbeat_at AS at`;
  return row?.at ?? null;
}

/**
 * Renews a worker's heartbeat, which also says whether it drains, and returns its time; null: the worker was declared dead, and others may run its jobs.
 */
export async function renewHeartbeat(
  db: HotDb,
  { id, isDraining = false }: Pick<WorkerIdentity, 'id' | 'isDraining'>,
): Promise<Date | null> {
  const [row] = await db.query<{ at: Date }>`
    UPDATE workers SET heartbeat_at = clock_timestamp(), draining = ${isDraining} WHERE id = ${id}::uuid RETURNING heartbeat_at AS at`;
  return row?.at ?? null;
}

/**
 * Declares workers dead whose heartbeat is older than a lease, by removing their rows. Removes none unless the
 * heartbeat of the asking worker is at most half a lease old: to a worker that was suspended just now, all others look
 * late.
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

/** Removes a stopping worker, and stores that its types were seen until now. */
export async function removeWorker(db: HotDb, id: string): Promise<void> {
  await db.query`
    WITH gone AS (DELETE FROM workers WHERE id = ${id}::uuid RETURNING types),
    -- A type whose row another worker has locked is being updated by that worker.
    seen AS (SELECT k.type FROM job_types k, gone WHERE k.type = ANY (gone.types) FOR UPDATE OF k SKIP LOCKED)
    UPDATE job_types SET last_seen_at = clock_timestamp() WHERE type IN (SELECT type FROM seen)`;
}

/** Takes or renews a task's lease. False: another process holds it. */
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

/** The state of a lease for the process that asked. */
export interface LeaseState {
  name: string;
  isHeld: boolean;
  /** The time until the lease of another process ends, in ms. */
  leftMs: number;
}

/** Takes or renews several leases. While others hold all of them, it writes nothing and locks no row. */
export function holdLeases(
  hot: HotDb,
  { names, holder, ttlMs }: { names: readonly string[]; holder: string; ttlMs: number },
): Promise<LeaseState[]> {
  return hot.query<LeaseState>`
    WITH asked AS MATERIALIZED (
      SELECT n.name, coalesce(l.expires_at, '-infinity') AS expires_at, l.holder
      FROM unnest(${names}::text[]) AS n(name) LEFT JOIN leases l ON l.name = n.name),
    held AS (
      INSERT INTO leases (name, holder, expires_at)
      SELECT name, ${holder}::uuid, clock_timestamp() + ${ttlMs}::float8 * interval '1 ms' FROM asked
      WHERE holder = ${holder}::uuid OR expires_at < clock_timestamp() ORDER BY name
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
      WHERE leases.holder = excluded.holder OR leases.expires_at < clock_timestamp()
      RETURNING name)
    SELECT a.name, h.name IS NOT NULL AS "isHeld",
      greatest(0, extract(epoch FROM greatest(a.expires_at, 'epoch') - clock_timestamp()) * 1000)::float8 AS "leftMs"
    FROM asked a LEFT JOIN held h ON h.name = a.name`;
}

/** Which of these leases some process holds. */
export async function findHeldLeases(hot: HotDb, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await hot.query<{ name: string }>`
    SELECT name FROM leases WHERE name = ANY (${names}::text[]) AND expires_at > clock_timestamp()`;
  return new Set(rows.map(({ name }) => name));
}

/** Releases a lease early, so that another worker need not wait for its end. */
export async function dropLease(db: DbSession, lease: { name: string; holder: string }): Promise<void> {
  await db.lease.deleteMany({ where: lease });
}

/**
 * How many jobs of a queue the live workers run at the same time: in total, and in workers that have a handler for a
 * type.
 */
export interface QueueSlots {
  all: number;
  /** The slots of the worker with the fewest. */
  smallest: number;
  byType: ReadonlyMap<string, number>;
}

/** Queue → the slots of all live workers together, without those that drain. */
export async function listSlots(db: DbSession): Promise<ReadonlyMap<string, QueueSlots>> {
  const rows = await db.$queryRaw<{ queue: string; slots: number; types: string[] }[]>`
    SELECT q.queue, q.slots, w.types FROM workers w, unnest(w.queues, w.concurrency) AS q(queue, slots)
    WHERE NOT w.draining`;
  const found = new Map<string, { all: number; smallest: number; byType: Map<string, number> }>();
  for (const { queue, slots, types } of rows) {
    const known = found.get(queue) ?? { all: 0, smallest: slots, byType: new Map<string, number>() };
    found.set(queue, known);
    known.all += slots;
    known.smallest = Math.min(known.smallest, slots);
    for (const type of types) known.byType.set(type, (known.byType.get(type) ?? 0) + slots);
  }
  return found;
}
