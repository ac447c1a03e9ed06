import type { OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';
import { takesJobs } from './workers.js';

/** Maximum age of a type's `last_seen_at` while its workers live, approximately. */
export const TYPE_SEEN_EVERY_MS = 60_000;
/** Schemas are read up to this total. Then their types count as types without a schema. */
const MAX_SCHEMA_BYTES = 16 * 1024 * 1024;
/** The highest number of job types that are read. */
const MAX_TYPES = 10_000;

/**
 * Stores for the types of all registered workers when the workers were last seen: one write per minute and type. Called
 * by one worker at a time.
 */
export async function recordTypesSeen(db: DbSession): Promise<void> {
  await db.$executeRaw`
    INSERT INTO job_types AS k (type, queue, last_seen_at)
    SELECT DISTINCT ON (n.type) n.type, coalesce(n.queue, w.queues[1]), w.heartbeat_at
    FROM workers w, unnest(w.types, w.type_queues) AS n(type, queue)
    WHERE n.type IS NOT NULL AND coalesce(n.queue, w.queues[1]) IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM job_types s WHERE s.type = n.type AND s.last_seen_at >=
        least(w.heartbeat_at, clock_timestamp() - ${TYPE_SEEN_EVERY_MS} * interval '1 ms'))
    ORDER BY n.type, w.heartbeat_at DESC
    ON CONFLICT (type) DO UPDATE SET queue = excluded.queue,
      last_seen_at = greatest(k.last_seen_at, excluded.last_seen_at)`;
}

/** What workers have published about a job type. */
export interface PublishedType {
  type: string;
  /** As the workers that take jobs have published it (the latest where they differ), else as the last worker with the type did. */
  queue: string;
  /** The `max_retries` of submissions that name none, as the last worker with the type that registered says; null: none. */
  maxRetries: number | null;
  /**
   * The hashes of the schemas of its workers that take jobs, the latest first. Null among them: a worker has published none.
   * Empty: it has no such worker.
   */
  schemaHashes: (string | null)[];
}

/** A JSON Schema, as JSON text. */
export interface PublishedSchema {
  hash: string;
  schema: string;
}

/** All published types, and the schemas that are not among `known`, in one query. */
export async function listPublishedTypes(
  db: DbSession,
  { leaseMs, known }: { leaseMs: number; known: readonly string[] },
): Promise<{ types: PublishedType[]; schemas: PublishedSchema[] }> {
  const rows = await db.$queryRaw<
    ((PublishedType & { hash: null; schema: null }) | (PublishedSchema & { type: null }))[]
  >`
    WITH w AS MATERIALIZED (
      SELECT n.type, n.queue, w.started_at, ${takesJobs(leaseMs)} AS is_live,
        p.schema_hash, p.schema_bytes, p.worker_id
      FROM workers w CROSS JOIN LATERAL unnest(w.types, w.type_queues) AS n(type, queue)
        LEFT JOIN worker_types p ON p.worker_id = w.id AND p.type = n.type
      WHERE n.type IS NOT NULL AND n.queue IS NOT NULL),
    -- The smallest first: one large schema does not exclude the others.
    s AS MATERIALIZED (
      SELECT *, sum(schema_bytes) OVER (ORDER BY schema_bytes, schema_hash) <= ${MAX_SCHEMA_BYTES}::int AS fits FROM (
        SELECT DISTINCT ON (schema_hash) schema_hash, schema_bytes, worker_id, type FROM w
        WHERE is_live AND schema_hash IS NOT NULL ORDER BY schema_hash, worker_id, type) AS d),
    h AS (
      SELECT type, array_agg(hash ORDER BY at DESC) AS hashes FROM (
        SELECT w.type, CASE WHEN s.fits THEN w.schema_hash END AS hash, max(w.started_at) AS at
        FROM w LEFT JOIN s ON s.schema_hash = w.schema_hash WHERE w.is_live GROUP BY 1, 2) AS g
      GROUP BY type),
    r AS (
      SELECT DISTINCT ON (type) type, queue FROM (
        SELECT type, queue, '-infinity'::timestamptz AS at FROM job_types
        UNION ALL SELECT type, queue, started_at FROM w WHERE is_live) AS a
      ORDER BY type, at DESC LIMIT ${MAX_TYPES})
    SELECT r.type, r.queue, k.max_retries AS "maxRetries", coalesce(h.hashes, '{}') AS "schemaHashes", NULL AS hash,
      NULL AS schema
    FROM r LEFT JOIN h ON h.type = r.type LEFT JOIN job_types k ON k.type = r.type
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, s.schema_hash, p.schema::text
    FROM s JOIN worker_types p ON p.worker_id = s.worker_id AND p.type = s.type
    WHERE s.fits AND s.schema_hash <> ALL (${known}::text[])`;
  return {
    types: rows.flatMap((row) => (row.type === null ? [] : [row])),
    schemas: rows.flatMap((row) => (row.type === null ? [{ hash: row.hash, schema: row.schema }] : [])),
  };
}

/** A job type of a live worker. */
export interface LiveType {
  type: string;
  queue: string;
  /** Null: its workers are of a version that does not publish it. */
  timeoutMs: number | null;
  /** The number of live workers that have it, without those that drain. */
  workers: number;
  /** JSON text; null: its latest worker has published none. */
  schema: string | null;
  /** The versions that its workers name, by name. */
  versions: string[];
}

/** The job types of all live workers, by name. Where workers differ, the latest counts that does not drain. */
export function listLiveTypes(db: DbSession, leaseMs: number): Promise<LiveType[]> {
  return db.$queryRaw<LiveType[]>`
    WITH w AS MATERIALIZED (
      SELECT DISTINCT ON (n.type) n.type, coalesce(n.queue, w.queues[1]) AS queue, w.id,
        (count(*) FILTER (WHERE NOT w.draining) OVER (PARTITION BY n.type))::int AS workers
      FROM workers w CROSS JOIN LATERAL unnest(w.types, w.type_queues) AS n(type, queue)
      WHERE n.type IS NOT NULL AND coalesce(n.queue, w.queues[1]) IS NOT NULL
        AND w.heartbeat_at > clock_timestamp() - ${leaseMs} * interval '1 ms'
      ORDER BY n.type, w.draining, w.started_at DESC, w.id LIMIT ${MAX_TYPES}),
    p AS MATERIALIZED (
      SELECT w.*, p.timeout_ms,
        sum(p.schema_bytes) OVER (ORDER BY p.schema_bytes, w.type) <= ${MAX_SCHEMA_BYTES}::int AS fits
      FROM w LEFT JOIN worker_types p ON p.worker_id = w.id AND p.type = w.type)
    SELECT p.type, p.queue, p.timeout_ms AS "timeoutMs", p.workers, CASE WHEN p.fits THEN t.schema::text END AS schema,
      ARRAY(SELECT DISTINCT w.version FROM workers w
        WHERE p.type = ANY (w.types) AND w.version IS NOT NULL AND ${takesJobs(leaseMs)} ORDER BY w.version) AS versions
    FROM p LEFT JOIN worker_types t ON t.worker_id = p.id AND t.type = p.type
    ORDER BY p.type COLLATE "C"`;
}

/** Those of these types that no worker ever had, if the organization rejects such types. */
export async function listRejectedTypes(
  db: DbSession,
  orgId: OrgId,
  types: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.$queryRaw<{ type: string }[]>`
    SELECT n.type FROM organization_settings s, unnest(${types}::text[]) AS n(type)
    WHERE s.org_id = ${orgId}::uuid AND s.unknown_types = 'reject' AND NOT EXISTS (SELECT 1 FROM job_types k WHERE k.type = n.type)`;
  return new Set(rows.map(({ type }) => type));
}
