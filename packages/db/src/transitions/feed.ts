import type { JobKey, OrgId } from '@jobline/contracts';
import type { DbSession } from '../client.js';
import type { HotDb } from '../hot.js';
import type { Enqueueable } from './repair.js';

/**
 * scheduled → waiting, for jobs whose time has come; the earliest first, a page at most. Answers with how many, and how
 * long it is until the next one is due (null: there is none).
 */
export async function promoteDue(db: DbSession, limit: number): Promise<{ promoted: number; nextInMs: number | null }> {
  const promoted = await db.$executeRaw`
    UPDATE jobs j SET place = 'waiting' FROM (
      SELECT key FROM jobs WHERE status = 'pending' AND place = 'scheduled' AND run_at <= now()
      ORDER BY run_at, key LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS due
    WHERE j.key = due.key`;
  const [next] = await db.$queryRaw<{ inMs: number }[]>`
    SELECT ceil(extract(epoch FROM run_at - clock_timestamp()) * 1000)::float8 AS "inMs"
    FROM jobs WHERE status = 'pending' AND place = 'scheduled' ORDER BY run_at, key LIMIT 1`;
  return { promoted, nextInMs: next ? Math.max(0, next.inMs) : null };
}

/** Those of the queues for which jobs wait. One index probe each. */
export async function listWaitingQueues(hot: HotDb, queues: readonly string[]): Promise<string[]> {
  const rows = await hot.query<{ queue: string }>`
    SELECT q.queue FROM unnest(${queues}::text[]) AS q(queue)
    WHERE (SELECT key FROM jobs WHERE status = 'pending' AND place = 'waiting' AND queue = q.queue
      ORDER BY queue, org_id LIMIT 1) IS NOT NULL`;
  return rows.map((row) => row.queue);
}

/**
 * The next organizations, in the order of their ids, that have jobs waiting for a queue: those after `after`, at most
 * `limit`. One index probe each, however many jobs they have.
 */
export async function listWaitingOrgs(
  hot: HotDb,
  queue: string,
  page: { after: OrgId | null; limit: number },
): Promise<OrgId[]> {
  const after = page.after ?? '00000000-0000-0000-0000-000000000000';
  const rows = await hot.query<{ orgId: OrgId }>`
    WITH RECURSIVE orgs(org_id, n) AS (
      (SELECT org_id, 1 FROM jobs
       WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id > ${after}::uuid
       ORDER BY queue, org_id LIMIT 1)
      UNION ALL
      (SELECT j.org_id, o.n + 1 FROM orgs o, LATERAL (
        SELECT org_id FROM jobs
        WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id > o.org_id
        ORDER BY queue, org_id LIMIT 1) AS j
       WHERE o.n < ${page.limit}::int))
    SELECT org_id AS "orgId" FROM orgs ORDER BY n`;
  return rows.map((row) => row.orgId);
}

/**
 * Up to `limit` jobs that wait for a queue, but for those in `except`: as many of each organization as of the next, each
 * organization's by priority and then age. Answers with what to add, in turns. They stay `waiting` until they are
 * claimed; their entries get the number that the claim will give them.
 */
export function listWaiting(
  hot: HotDb,
  queue: string,
  orgs: readonly OrgId[],
  { limit, except }: { limit: number; except: readonly JobKey[] },
): Promise<(Enqueueable & { orgId: OrgId })[]> {
  const perOrg = Math.ceil(limit / Math.max(1, orgs.length));
  return hot.query<Enqueueable & { orgId: OrgId }>`
    SELECT w.key, w.queue, w.seq, o.org_id AS "orgId"
    FROM unnest(${orgs}::uuid[]) WITH ORDINALITY AS o(org_id, place), LATERAL (
      SELECT key, queue, enqueue_seq + 1 AS seq, row_number() OVER (ORDER BY priority DESC, run_at, key) AS round
      FROM jobs
      WHERE status = 'pending' AND jobs.place = 'waiting' AND queue = ${queue} AND org_id = o.org_id
        AND key NOT IN (SELECT unnest(${except}::uuid[]))
      ORDER BY priority DESC, run_at, key LIMIT ${perOrg}::int) AS w
    ORDER BY w.round, o.place LIMIT ${limit}::int`;
}

/** What an organization runs of a queue. */
export interface Occupancy {
  queue: string;
  orgId: OrgId;
  running: number;
  /** Those that have run for more than a second. */
  slow: number;
}

/** What every organization runs at the moment: as many rows are read as there are slots. */
export function listOccupancies(db: DbSession): Promise<Occupancy[]> {
  return db.$queryRaw<Occupancy[]>`
    SELECT queue, org_id AS "orgId", count(*)::int AS running,
      (count(*) FILTER (WHERE started_at < now() - interval '1 s'))::int AS slow
    FROM jobs WHERE status = 'processing' GROUP BY queue, org_id`;
}
