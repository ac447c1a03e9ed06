import type { JobKey, OrgId } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';
import type { HotDb } from '../../postgres/hot.js';
import { FIRST_ID } from '../../postgres/page.js';
import { USES_SLOT } from '../workers.js';
import type { Unhandled } from './claim.js';
import { reachOf, UNSEEN_MS } from './reach.js';

/*
 * Every ORDER BY names all columns of its index. Another index could serve fewer columns, and after an ANALYZE while
 * most of the table waits, the planner would take that index and read the whole table.
 */

export interface Promotion {
  promoted: number;
  /** Time until the next job is due, among the organizations of this page; null: they have no scheduled job. */
  nextInMs: number | null;
  /** The organization after which the next page begins; null: this was the last page. */
  after: OrgId | null;
}

/** How many organizations with scheduled jobs one promotion examines, with one index probe each. */
const MAX_SCHEDULED_ORGS = 1_000;

/**
 * scheduled → waiting, or held under a limit, for jobs that are due: the same number for each organization, its
 * earliest jobs first, about `limit` in total. Many due jobs of one organization do not delay the others. Trigger: a
 * job that becomes held writes its lane (`wake_limit_lanes.sql`).
 */
export async function promoteDue(hot: HotDb, page: { after: OrgId | null; limit: number }): Promise<Promotion> {
  const rows = await hot.query<Promotion & { orgs: number; last: OrgId | null }>`
    WITH RECURSIVE heads(org_id, run_at, n) AS (
      (SELECT org_id, run_at, 1 FROM live_jobs
       WHERE status = 'pending' AND place = 'scheduled' AND org_id > ${page.after ?? FIRST_ID}::uuid
       ORDER BY org_id, run_at, key LIMIT 1)
      UNION ALL
      (SELECT j.org_id, j.run_at, h.n + 1 FROM heads h, LATERAL (
        SELECT org_id, run_at FROM live_jobs
        WHERE status = 'pending' AND place = 'scheduled' AND org_id > h.org_id
        ORDER BY org_id, run_at, key LIMIT 1) AS j
       WHERE h.n < ${MAX_SCHEDULED_ORGS}::int)),
    due AS MATERIALIZED (SELECT org_id, count(*) OVER () AS orgs FROM heads WHERE run_at <= now()),
    d AS MATERIALIZED (
      SELECT d.key FROM due, LATERAL (
        SELECT key FROM live_jobs
        WHERE status = 'pending' AND place = 'scheduled' AND org_id = due.org_id AND run_at <= now()
        ORDER BY org_id, run_at, key LIMIT ceil(${page.limit}::float8 / due.orgs)::bigint FOR UPDATE SKIP LOCKED) AS d),
    p AS (
      UPDATE live_jobs j SET place = CASE
        WHEN under_limit(j.org_id, j.limit_name, j.type) THEN 'held'
        ELSE 'waiting' END::job_place
      WHERE key = ANY ((SELECT array_agg(key) FROM d)::uuid[]) AND status::text = 'pending' RETURNING 1)
    SELECT (SELECT count(*)::int FROM p) AS promoted, count(*)::int AS orgs, max(org_id::text) AS last,
      -- Not with greatest(): it ignores the NULL of "no scheduled job".
      ceil(extract(epoch FROM min(run_at) FILTER (WHERE run_at > now()) - clock_timestamp()) * 1000)::float8 AS "nextInMs"
    FROM heads`;
  const { promoted = 0, nextInMs = null, orgs = 0, last = null } = rows[0] ?? {};
  return { promoted, nextInMs: nextInMs && Math.max(0, nextInMs), after: orgs === MAX_SCHEDULED_ORGS ? last : null };
}

/** The queues among `queues` for which jobs wait. One index probe each. */
export async function listWaitingQueues(hot: HotDb, queues: readonly string[]): Promise<string[]> {
  const rows = await hot.query<{ queue: string }>`
    SELECT q.queue FROM unnest(${queues}::text[]) AS q(queue)
    WHERE (SELECT key FROM live_jobs WHERE status = 'pending' AND place = 'waiting' AND queue = q.queue
      ORDER BY queue, org_id, priority DESC, run_at, key LIMIT 1) IS NOT NULL`;
  return rows.map((row) => row.queue);
}

/** An organization with waiting jobs, the type of the first one, and for how long that one has been due. */
export interface WaitingOrg {
  orgId: OrgId;
  type: string;
  dueMs: number;
}

/**
 * The next organizations, in the order of their ids, with jobs that wait for a queue: at most `limit` after `after`.
 * One index probe each, however many jobs they have.
 */
export function listWaitingOrgs(
  hot: HotDb,
  queue: string,
  page: { after: OrgId | null; limit: number },
): Promise<WaitingOrg[]> {
  return hot.query<WaitingOrg>`
    WITH RECURSIVE orgs(org_id, type, run_at, n) AS (
      (SELECT org_id, type, run_at, 1 FROM live_jobs
       WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id > ${page.after ?? FIRST_ID}::uuid
       ORDER BY queue, org_id, priority DESC, run_at, key LIMIT 1)
      UNION ALL
      (SELECT j.org_id, j.type, j.run_at, o.n + 1 FROM orgs o, LATERAL (
        SELECT org_id, type, run_at FROM live_jobs
        WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id > o.org_id
        ORDER BY queue, org_id, priority DESC, run_at, key LIMIT 1) AS j
       WHERE o.n < ${page.limit}::int))
    SELECT org_id AS "orgId", type, (extract(epoch FROM clock_timestamp() - run_at) * 1000)::float8 AS "dueMs" FROM orgs ORDER BY n`;
}

/** A waiting job that no worker of its queue can run. */
export interface UnhandledJob extends Unhandled {
  key: JobKey;
}

/**
 * The jobs of types other than `types` among the first `limit` waiting jobs of each organization. Jobs of types without workers
 * gather there, because workers pass them.
 */
export function listUnhandled(
  hot: HotDb,
  queue: string,
  {
    orgIds,
    types,
    limit,
    leaseMs,
  }: { orgIds: readonly OrgId[]; types: readonly string[]; limit: number; leaseMs: number },
): Promise<UnhandledJob[]> {
  return hot.query<UnhandledJob>`
    SELECT j.key, j.type, j.queue, ${reachOf(leaseMs)} AS reach, ${UNSEEN_MS} AS "unseenMs"
    FROM unnest(${orgIds}::uuid[]) AS o(org_id), LATERAL (
      SELECT key, type, queue FROM live_jobs
      WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id = o.org_id
      ORDER BY queue, org_id, priority DESC, run_at, key LIMIT ${limit}::int) AS j, (SELECT clock_timestamp() AS now) AS t
    WHERE j.type <> ALL (${types}::text[])`;
}

/** How many jobs of a queue an organization runs. */
export interface Occupancy {
  queue: string;
  orgId: OrgId;
  running: number;
  /** The jobs that have run for more than a second. */
  slow: number;
}

/** The running jobs of every organization. The number of rows read is the number of slots. */
export function listOccupancies(db: DbSession): Promise<Occupancy[]> {
  return db.$queryRaw<Occupancy[]>`
    SELECT queue, org_id AS "orgId", count(*)::int AS running,
      (count(*) FILTER (WHERE started_at < now() - interval '1 s'))::int AS slow
    FROM live_jobs WHERE status = 'processing' AND ${USES_SLOT} GROUP BY queue, org_id`;
}

/** What an organization runs in a queue, and how many of its held jobs are dispatched. */
export interface Load extends Omit<Occupancy, 'queue'> {
  /** The dispatched jobs that are not claimed yet. */
  dispatched: number;
}

/** The load of each organization that has any. `keys` are the dispatched jobs. Reads them and the running jobs. */
export function listLoads(hot: HotDb, queue: string, keys: readonly JobKey[]): Promise<Load[]> {
  return hot.query<Load>`
    SELECT org_id AS "orgId", sum(running)::int AS running, sum(slow)::int AS slow, sum(dispatched)::int AS dispatched
    FROM (
      SELECT org_id, 1 AS running, (started_at < now() - interval '1 s')::int AS slow, 0 AS dispatched FROM live_jobs
      WHERE status = 'processing' AND queue = ${queue} AND ${USES_SLOT}
      UNION ALL
      SELECT org_id, 0, 0, 1 FROM live_jobs WHERE key = ANY (${keys}::uuid[]) AND status::text = 'pending') AS own
    GROUP BY org_id`;
}
