import type { OrgId } from '@jobline/contracts';
import type { DbSession } from '../client.js';
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

/**
 * The next organizations, in the order of their ids, that have jobs waiting for a queue: those after `after`, at most
 * `limit`. One index probe each, however many jobs they have.
 */
export async function listWaitingOrgs(
  db: DbSession,
  queue: string,
  page: { after: OrgId | null; limit: number },
): Promise<OrgId[]> {
  const after = page.after ?? '00000000-0000-0000-0000-000000000000';
  const rows = await db.$queryRaw<{ orgId: OrgId }[]>`
    WITH RECURSIVE orgs(org_id, n) AS (
      (SELECT org_id, 1 FROM jobs
       WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id > ${after}::uuid
       ORDER BY queue, org_id LIMIT 1)
      UNION ALL
      (SELECT j.org_id, o.n + 1 FROM orgs o, LATERAL (
        SELECT org_id FROM jobs
        WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id > o.org_id
        ORDER BY queue, org_id LIMIT 1) AS j
       WHERE o.n < ${page.limit}))
    SELECT org_id AS "orgId" FROM orgs ORDER BY n`;
  return rows.map((row) => row.orgId);
}

/**
 * waiting → enqueued, for `limit` jobs of a queue at most: as many of each organization as of the next, each
 * organization's by priority and then age. Answers with what to add, in turns.
 */
export function takeWaiting(
  db: DbSession,
  queue: string,
  orgs: readonly OrgId[],
  limit: number,
): Promise<(Enqueueable & { orgId: OrgId })[]> {
  const perOrg = Math.ceil(limit / Math.max(1, orgs.length));
  return db.$queryRaw<(Enqueueable & { orgId: OrgId })[]>`
    WITH turn AS MATERIALIZED (
      SELECT w.key, row_number() OVER (PARTITION BY o.org_id ORDER BY w.priority DESC, w.run_at, w.key) AS round, o.place
      FROM unnest(${orgs}::uuid[]) WITH ORDINALITY AS o(org_id, place), LATERAL (
        SELECT key, priority, run_at FROM jobs
        WHERE status = 'pending' AND jobs.place = 'waiting' AND queue = ${queue} AND org_id = o.org_id
        ORDER BY priority DESC, run_at, key LIMIT ${perOrg} FOR UPDATE SKIP LOCKED) AS w),
    chosen AS (SELECT key, round, place FROM turn ORDER BY round, place LIMIT ${limit}),
    moved AS (
      UPDATE jobs j SET place = 'enqueued', enqueue_seq = j.enqueue_seq + 1,
        enqueued_at = date_trunc('milliseconds', clock_timestamp())
      FROM chosen c WHERE j.key = c.key
      RETURNING j.key, j.queue, j.enqueue_seq AS seq, j.org_id, c.round, c.place)
    SELECT key, queue, seq, org_id AS "orgId" FROM moved ORDER BY round, place`;
}
