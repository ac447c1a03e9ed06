import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import { type LimitedJob, type LimitState, limitState } from '../../limits/limit-rules.js';
import type { Db, DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { CLAIM_LOCK_MS, type ClaimAnswer, type Claimer, claimJobsIn, type Delivery } from './claim.js';

/** A held job that was delivered and is due. */
export interface HeldJob extends LimitedJob {
  key: JobKey;
  priority: number;
}

/** The held jobs that may start. */
export interface Decision {
  keys: readonly JobKey[];
  /** Stores the rates that the starts of these jobs use. */
  saveRates(started: ReadonlySet<JobKey>): Promise<void>;
}

/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 10_000 };

/**
 * Like claimJobs, for held jobs. Waiting and enqueued jobs under a limit become held first (their lanes are written by the
 * trigger in `wake_limit_lanes.sql`). `decide` gets their limits and what runs, and returns the jobs that may start. `nowMs` is
 * the time of all these starts. Claims of one organization's held jobs run one after the
 * other, and each sees the result of the one before, so that no limit is exceeded. They do not wait for each other: the
 * answer for the jobs of an organization that another transaction has locked is `locked`.
 */
export function claimHeld(
  db: Db,
  worker: Claimer,
  deliveries: readonly Delivery[],
  decide: (tx: DbSession, held: readonly HeldJob[], found: LimitState & { nowMs: number }) => Promise<Decision>,
): Promise<ClaimAnswer[]> {
  const keys = deliveries.map(({ key }) => key);
  return retryDeadlocks(() =>
    db.$transaction(async (tx) => {
      const { orgIds, locked } = await lockOrgs(tx, keys);
      if (keys.every((key) => locked.has(key))) return deliveries.map((): ClaimAnswer => ({ kind: 'locked' }));
      const { at, held, ...state } = await holdAndRead(tx, keys, orgIds);
      const { keys: allowed, saveRates } = await decide(tx, held, { ...state, nowMs: at.getTime() });
      const answers = await claimJobsIn(tx, worker, deliveries, { keys: allowed, at });
      // A job may not start although its limits allow it: its worker may have no capacity for jobs that crashed others.
      await saveRates(new Set(answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.claim.key] : []))));
      return answers.map((answer, i) =>
        answer.kind === 'held' && locked.has(keys[i] ?? '') ? { kind: 'locked' } : answer,
      );
    }, LIMITS),
  );
}

/**
 * Locks those organizations that are not locked, and returns the jobs of the others. In a statement of its own: the next one sees
 * what other transactions have committed before they released the locks.
 */
async function lockOrgs(
  tx: DbSession,
  keys: readonly JobKey[],
): Promise<{ orgIds: OrgId[]; locked: ReadonlySet<string> }> {
  const rows = await tx.$queryRaw<{ key: JobKey; orgId: OrgId; isFree: boolean }[]>`
    WITH own AS MATERIALIZED (
      SELECT key, org_id FROM live_jobs
      WHERE key = ANY (${keys}::uuid[]) AND status::text = 'pending' AND place IN ('held', 'waiting', 'enqueued')),
    free AS MATERIALIZED (
      SELECT id FROM organizations WHERE id IN (SELECT org_id FROM own) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
    SELECT key, org_id AS "orgId", id IS NOT NULL AS "isFree" FROM own LEFT JOIN free ON id = org_id,
      set_config('lock_timeout', ${`${CLAIM_LOCK_MS}`}, true)`;
  return {
    orgIds: [...new Set(rows.flatMap(({ orgId, isFree }) => (isFree ? [orgId] : [])))],
    locked: new Set(rows.flatMap(({ key, isFree }) => (isFree ? [] : [key]))),
  };
}

/**
 * Makes waiting and enqueued jobs under a limit held, and returns the held jobs that are due, with what decides whether they may start.
 * Only jobs of locked organizations: another job may have become held since.
 */
async function holdAndRead(
  tx: DbSession,
  keys: readonly JobKey[],
  orgIds: readonly OrgId[],
): Promise<LimitState & { at: Date; held: HeldJob[] }> {
  const asked = Prisma.sql`SELECT "orgId", type FROM d`;
  const [found] = await tx.$queryRaw<[LimitState & { at: Date; held: HeldJob[] }]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    h AS (
      UPDATE live_jobs j SET place = 'held'
      WHERE j.key = ANY (${keys}::uuid[]) AND j.status::text = 'pending'
        AND j.place IN ('waiting', 'enqueued') AND j.org_id = ANY (${orgIds}::uuid[]) AND ${UNDER_LIMIT}
      RETURNING j.key),
    d AS MATERIALIZED (
      SELECT j.key, j.org_id AS "orgId", j.type, coalesce(j.limit_name, '') AS "limitName",
        coalesce(j.limit_key, '') AS "limitKey", j.priority
      FROM t, live_jobs j
      WHERE j.key = ANY (${keys}::uuid[]) AND j.status::text = 'pending'
        -- The statement reads the rows as they were before its update.
        AND (j.place = 'held' OR j.key IN (SELECT key FROM h)) AND j.run_at <= t.now AND j.org_id = ANY (${orgIds}::uuid[])
      ORDER BY j.priority DESC, j.run_at, j.key)
    SELECT t.now AS at, (SELECT coalesce(json_agg(d), '[]') FROM d) AS held, s.*
    FROM t, (${limitState(orgIds, asked)}) AS s`;
  return found;
}

/** SQL: the lane of the held job `j`. */
export const LANE_OF_JOB = Prisma.sql`lane_of(j.org_id, j.queue, j.type, j.limit_name, j.limit_key)`;

/** SQL: whether the job `j` is under a limit. */
export const UNDER_LIMIT = Prisma.sql`under_limit(j.org_id, j.limit_name, j.type)`;

/** SQL: whether one of its limits is ordered. */
export const UNDER_ORDERED_LIMIT = Prisma.sql`under_ordered_limit(j.org_id, j.limit_name, j.type)`;

/** A position among the pending jobs of an organization, in the order of their submission. */
export interface HoldPosition {
  createdAt: Date;
  id: string;
}

/**
 * waiting, scheduled and enqueued → held, for the jobs of an ordered limit, because the dispatcher lists waiting jobs in another
 * order. Reads the next `limit` pending jobs of the limit, the oldest first, each type by its index. Leaves out those that
 * another transaction changes now. Returns the position of the last one; null: no more jobs follow.
 */
export async function holdOrdered(
  db: DbSession,
  orgId: OrgId,
  name: string,
  { after, limit }: { after: HoldPosition | null; limit: number },
): Promise<HoldPosition | null> {
  const [at, id] = [after?.createdAt.toISOString() ?? '-infinity', after?.id ?? ''];
  const [last] = await db.$queryRaw<(HoldPosition & { count: number })[]>`
    WITH l AS MATERIALIZED (
      SELECT types FROM limits WHERE org_id = ${orgId}::uuid AND name = ${name} AND ordered),
    o AS MATERIALIZED (
      SELECT * FROM (
        SELECT t.* FROM l, unnest(l.types) AS n(type), LATERAL (
          SELECT key, created_at, id FROM live_jobs
          WHERE org_id = ${orgId}::uuid AND type = n.type AND status = 'pending' AND (created_at, id) > (${at}::timestamptz, ${id})
          ORDER BY org_id DESC, type DESC, created_at, id LIMIT ${limit}) AS t
        UNION
        SELECT t.* FROM l, LATERAL (
          SELECT key, created_at, id FROM live_jobs
          WHERE org_id = ${orgId}::uuid AND limit_name = ${name} AND status = 'pending'
            AND (created_at, id) > (${at}::timestamptz, ${id})
          ORDER BY org_id DESC, limit_name DESC, created_at, id LIMIT ${limit}) AS t) AS of_limit
      ORDER BY created_at, id LIMIT ${limit}),
    n AS MATERIALIZED (
      SELECT j.key FROM live_jobs j
      WHERE j.key = ANY ((SELECT array_agg(key) FROM o)::uuid[]) AND j.status::text = 'pending' AND j.place <> 'held'
      ORDER BY j.key FOR UPDATE SKIP LOCKED),
    h AS (
      UPDATE live_jobs SET place = 'held' WHERE key = ANY ((SELECT array_agg(key) FROM n)::uuid[]))
    SELECT created_at AS "createdAt", id, (SELECT count(*)::int FROM o) AS count FROM o ORDER BY created_at DESC, id DESC LIMIT 1`;
  return last && last.count === limit ? { createdAt: last.createdAt, id: last.id } : null;
}

/** waiting → held, for those of these jobs that are under a limit. Returns their keys. */
export async function holdWaiting<K extends string>(db: DbSession, keys: readonly K[]): Promise<ReadonlySet<K>> {
  const rows = await db.$queryRaw<{ key: K }[]>`
    UPDATE live_jobs j SET place = 'held'
    WHERE j.key = ANY (${keys}::uuid[]) AND j.status::text = 'pending' AND j.place = 'waiting' AND ${UNDER_LIMIT}
    RETURNING j.key`;
  return new Set(rows.map(({ key }) => key));
}

/** held → waiting, or scheduled if they are not due, for jobs of a lane that no limit applies to any more. Returns how many. */
export function releaseLane(db: DbSession, lane: string, limit: number): Promise<number> {
  return db.$executeRaw`
    WITH n AS (
      SELECT key FROM live_jobs j WHERE ${LANE_OF_JOB} = ${lane}::uuid AND status = 'pending' AND place = 'held' AND retries >= 0
      ORDER BY ${LANE_OF_JOB}, priority DESC, run_at, key LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE live_jobs SET place = CASE WHEN run_at > now() THEN 'scheduled' ELSE 'waiting' END::job_place
    WHERE key IN (SELECT key FROM n) AND status = 'pending'`;
}
