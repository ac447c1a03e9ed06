import type { OrgId } from '@jobline/contracts';
import type { LimitedJob } from '../limits/limit-rules.js';
import type { DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import type { PendingStage } from './transitions/insert.js';
import { MAX_QUEUES, WAITING_QUEUES } from './waiting-queues.js';
import { takesJobs } from './workers.js';

/** The jobs of one queue that wait for a worker. */
export interface QueueBacklog {
  queue: string;
  /** Jobs that are due and not claimed yet; counted up to MAX_COUNTED. */
  waiting: number;
  /** How long the longest-waiting job has been due. */
  oldestMs: number;
}

/** Pending jobs by what they wait for, each counted up to MAX_COUNTED, and how many limits are in use completely. */
export interface PendingCounts {
  /** A time, or the time of a retry. */
  time: number;
  limit: number;
  /** A slot of a worker. */
  queue: number;
  fullLimits: number;
}

/** The workers whose lease is current. */
export interface LiveWorkers {
  count: number;
  /** Queue → how many of its jobs those that take jobs run at the same time. */
  slots: ReadonlyMap<string, number>;
  /** The job types that they have handlers for. */
  types: ReadonlySet<string>;
}

/** The highest count that is reported of a queue: counting costs as much as there is to count. */
export const MAX_COUNTED = 50_000;
/** How many pairs of organization and priority are searched for the oldest job; each costs one index probe. */
const MAX_GROUPS = 5_000;

/**
 * The waiting jobs of all organizations together, by queue: `queues`, those that workers take, and those with waiting jobs. The cost is bounded, however many jobs wait: few jobs are in Redis,
 * and for those in Postgres an index gives the oldest of each organization and priority.
 */
export async function readBacklog(hot: HotDb, queues: readonly string[]): Promise<QueueBacklog[]> {
  return hot.query<QueueBacklog>`
    WITH RECURSIVE ${WAITING_QUEUES},
    heads(queue, org_id, priority, run_at, n) AS (
      SELECT q.queue, h.org_id, h.priority, h.run_at, 1 FROM waiting_queues q, LATERAL (
        SELECT org_id, priority, run_at FROM live_jobs
        WHERE status = 'pending' AND place = 'waiting' AND live_jobs.queue = q.queue
        ORDER BY live_jobs.queue, org_id, priority DESC, run_at, key LIMIT 1) AS h
      UNION ALL
      SELECT p.queue, h.org_id, h.priority, h.run_at, p.n + 1 FROM heads p, LATERAL (
        SELECT * FROM (
          (SELECT org_id, priority, run_at FROM live_jobs
           WHERE status = 'pending' AND place = 'waiting' AND live_jobs.queue = p.queue AND org_id = p.org_id
             AND priority < p.priority
           ORDER BY live_jobs.queue, org_id, priority DESC, run_at, key LIMIT 1)
          UNION ALL
          (SELECT org_id, priority, run_at FROM live_jobs
           WHERE status = 'pending' AND place = 'waiting' AND live_jobs.queue = p.queue AND org_id > p.org_id
           ORDER BY live_jobs.queue, org_id, priority DESC, run_at, key LIMIT 1)) AS next
        LIMIT 1) AS h
      WHERE p.n < ${MAX_GROUPS}::int),
    in_redis AS (
      SELECT queue, count(*) AS n, min(run_at) AS oldest FROM (
        SELECT queue, run_at FROM live_jobs
        WHERE status = 'pending' AND place = 'enqueued' AND run_at <= now()
          AND key > '00000000-0000-0000-0000-000000000000'
        ORDER BY key LIMIT ${MAX_COUNTED}::int) AS e
      GROUP BY queue),
    q AS MATERIALIZED (
      SELECT queue FROM (
        SELECT unnest(${queues}::text[]) AS queue UNION SELECT unnest(queues) FROM workers
        UNION SELECT queue FROM waiting_queues UNION SELECT queue FROM in_redis) AS known
      ORDER BY queue <> ALL (${queues}::text[]), queue LIMIT ${MAX_QUEUES}::int)
    SELECT q.queue, (coalesce(r.n, 0) + w.n)::float8 AS waiting,
      greatest(0, coalesce(extract(epoch FROM clock_timestamp()
        - least(r.oldest, (SELECT min(run_at) FROM heads WHERE heads.queue = q.queue))) * 1000, 0))::float8 AS "oldestMs"
    FROM q LEFT JOIN in_redis r ON r.queue = q.queue, LATERAL (
      SELECT count(*) AS n FROM (
        SELECT 1 FROM live_jobs WHERE status = 'pending' AND place = 'waiting' AND live_jobs.queue = q.queue
        ORDER BY live_jobs.queue, org_id, priority DESC, run_at, key LIMIT ${MAX_COUNTED}::int) AS c) AS w`;
}

/** The cost is bounded by the numbers of jobs that are counted and that run. */
export async function readPendingCounts(hot: HotDb): Promise<PendingCounts> {
  const [row] = await hot.query<PendingCounts>`
    SELECT
      (SELECT count(*) FROM (
        SELECT 1 FROM live_jobs WHERE status = 'pending' AND place = 'scheduled'
        ORDER BY org_id, run_at, key LIMIT ${MAX_COUNTED}::int) AS t)::float8 AS time,
      (SELECT count(*) FROM (
        SELECT 1 FROM live_jobs WHERE status = 'pending' AND place = 'held' AND retries >= 0
        ORDER BY lane_of(org_id, queue, type, limit_name, limit_key), priority DESC, run_at, key LIMIT ${MAX_COUNTED}::int) AS h)::float8 AS "limit",
      (SELECT count(*) FROM (
        (SELECT 1 FROM live_jobs WHERE status = 'pending' AND place = 'waiting'
         ORDER BY queue, org_id, priority DESC, run_at, key LIMIT ${MAX_COUNTED}::int)
        UNION ALL
        (SELECT 1 FROM live_jobs WHERE status = 'pending' AND place = 'enqueued' AND run_at <= now()
           AND key > '00000000-0000-0000-0000-000000000000'
         ORDER BY key LIMIT ${MAX_COUNTED}::int)
        LIMIT ${MAX_COUNTED}::int) AS q)::float8 AS queue,
      (SELECT count(*) FROM (
        SELECT l.org_id, l.name FROM (
          SELECT org_id, type, limit_name, count(*) AS running FROM live_jobs WHERE status = 'processing'
          GROUP BY org_id, type, limit_name) AS r
        CROSS JOIN LATERAL (
          SELECT name FROM limit_types WHERE org_id = r.org_id AND type = r.type UNION SELECT r.limit_name) AS n
        JOIN limits l ON l.org_id = r.org_id AND l.name = n.name
        WHERE l.per = 'organization' AND l.concurrency IS NOT NULL
        GROUP BY l.org_id, l.name, l.concurrency HAVING sum(r.running) >= l.concurrency) AS f)::float8 AS "fullLimits"`;
  if (!row) throw new Error('Postgres did not return the numbers of pending jobs');
  return row;
}

export async function readLiveWorkers(hot: HotDb, leaseMs: number): Promise<LiveWorkers> {
  const rows = await hot.query<{ queues: string[]; concurrency: number[]; types: string[] }>`
    SELECT queues, CASE WHEN draining THEN '{}' ELSE coalesce(concurrency, '{}') END AS concurrency, types FROM workers
    WHERE heartbeat_at > clock_timestamp() - ${leaseMs}::float8 * interval '1 ms'`;
  const slots = new Map<string, number>();
  for (const { queues, concurrency } of rows) {
    for (const [i, queue] of queues.entries()) slots.set(queue, (slots.get(queue) ?? 0) + (concurrency[i] ?? 0));
  }
  return { count: rows.length, slots, types: new Set(rows.flatMap(({ types }) => types)) };
}

/** The number of an organization's pending jobs, at most `max`. */
export async function countPending(db: DbSession, orgId: OrgId, max: number): Promise<number> {
  const [row] = await db.$queryRaw<[{ n: number }]>`
    SELECT count(*)::int AS n FROM (
      SELECT 1 FROM live_jobs WHERE status = 'pending' AND org_id = ${orgId}::uuid LIMIT ${max}) AS pending`;
  return row.n;
}

/** What a pending job may wait for. */
export interface PendingJob extends LimitedJob {
  key: string;
  queue: string;
  stage: PendingStage;
  /** The id of the first job for which it still waits; null: it waits for none. */
  afterId: string | null;
  /** Whether it does not run yet because of its `run_at`, or because a retry is not due. */
  isEarly: boolean;
  /** Whether it has run before since it was submitted or retried by hand. */
  isRetry: boolean;
  /** The slots of the workers that have its handler and take jobs of its queue, and how many jobs run there. */
  slots: number;
  running: number;
  nowMs: number;
}

/** A pending job, or null. */
export async function findPending(
  db: DbSession,
  orgId: OrgId,
  id: string,
  leaseMs: number,
): Promise<PendingJob | null> {
  const [row] = await db.$queryRaw<PendingJob[]>`
    SELECT j.key, j.org_id AS "orgId", j.type, coalesce(j.limit_name, '') AS "limitName",
      coalesce(j.limit_key, '') AS "limitKey", j.queue, j.place::text AS stage, j.run_at > clock_timestamp() AS "isEarly",
      j.retries > 0 OR j.crash_count > 0 AS "isRetry",
      (SELECT c.after_id FROM job_conditions c WHERE c.job_key = j.key AND c.state <> 'met' ORDER BY c.n LIMIT 1) AS "afterId",
      t.slots, (SELECT count(*)::int FROM live_jobs r
        WHERE r.status = 'processing' AND r.queue = j.queue AND r.worker_id = ANY (t.workers)) AS running,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
    FROM submitted_jobs s JOIN live_jobs j ON j.key = s.key, LATERAL (
      SELECT coalesce(sum(q.slots), 0)::int AS slots, array_agg(w.id) AS workers
      FROM workers w, unnest(w.queues, w.concurrency) AS q(queue, slots)
      WHERE q.queue = j.queue AND j.type = ANY (w.types) AND ${takesJobs(leaseMs)}) AS t
    WHERE s.org_id = ${orgId}::uuid AND s.id = ${id} AND j.status::text = 'pending'`;
  return row ?? null;
}
