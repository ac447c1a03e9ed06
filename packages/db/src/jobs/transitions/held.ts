import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import { type LimitedJob, type LimitState, limitState } from '../../limits/limit-rules.js';
import type { Db, DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { CLAIM_LOCK_MS, type ClaimAnswer, type Claimer, claimJobsIn, type Delivery } from './claim.js';

/** A held job that is due. */
export interface HeldJob extends LimitedJob {
  key: JobKey;
  priority: number;
  lane: string;
}

/** How many jobs of a lane may start, because so many of its entries were delivered. */
export type Turns = ReadonlyMap<string, number>;

/** One delivery of an entry of a held job. */
export interface HeldDelivery extends Delivery {
  /** The lane of the job. Null: the entry does not say, and the job may be unknown. */
  lane: string | null;
  /** Whether the submission of the job has added the entry. */
  isDirect: boolean;
}

/** The held jobs that may start. */
export interface Decision {
  keys: readonly JobKey[];
  /** Stores the rates that the starts of these jobs use, and which of them are probes. */
  saveStarts(started: ReadonlySet<JobKey>): Promise<void>;
}

/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 10_000 };

/** What decides which held jobs may start. */
export interface HeldState extends LimitState {
  /** In the order in which they may start. */
  held: HeldJob[];
  turns: Turns;
  /** The time of all these starts. */
  nowMs: number;
}

/**
 * Like claimJobs, for held jobs. An entry is a turn for the lane of its job: it starts the first job of the lane that may start, so
 * that jobs start in their order although several workers take entries. Waiting and enqueued jobs under a limit become held first
 * (their lanes are written by the trigger in `wake_limit_lanes.sql`). `decide` returns the jobs that may start. Claims of one
 * organization's held jobs run one after the other, and each sees the result of the one before, so that no limit is exceeded. They
 * do not wait for each other: the answer for the jobs of an organization that another transaction has locked is `locked`.
 */
export function claimHeld(
  db: Db,
  worker: Claimer,
  deliveries: readonly HeldDelivery[],
  decide: (tx: DbSession, found: HeldState) => Promise<Decision>,
): Promise<ClaimAnswer[]> {
  return retryDeadlocks(() =>
    db.$transaction(async (tx) => {
      const { orgIds, locked, laneOf } = await lockOrgs(tx, deliveries);
      if (deliveries.every(({ key }) => locked.has(key)))
        return deliveries.map((): ClaimAnswer => ({ kind: 'locked' }));
      const turns = countTurns(deliveries.flatMap(({ key }) => laneOf.get(key) ?? []));
      const keys = deliveries.map(({ key }) => key);
      const { at, ...found } = await holdAndRead(tx, { keys, turns, orgIds });
      const { keys: allowed, saveStarts } = await decide(tx, { ...found, turns, nowMs: at.getTime() });
      const chosen = chooseJobs(deliveries, laneOf, found.held, allowed);
      const answers = await claimJobsIn(tx, worker, chosen, { keys: allowed, at });
      const started = new Set(answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.claim.key] : [])));
      // A job may not start although its limits allow it: its worker may have no capacity for jobs that crashed others.
      await saveStarts(started);
      const dropped = answers.map(({ kind }, i) => deliveries[i]?.isDirect && REFUSED.has(kind));
      await leaveToDispatcher(
        tx,
        keys.filter((_, i) => dropped[i]),
      );
      return answers.map((answer, i): ClaimAnswer => {
        if (deliveries[i] && locked.has(deliveries[i].key)) return { kind: 'locked' };
        return dropped[i] ? { kind: 'held' } : answer;
      });
    }, LIMITS),
  );
}

function countTurns(lanes: readonly string[]): Turns {
  const turns = new Map<string, number>();
  for (const lane of lanes) turns.set(lane, (turns.get(lane) ?? 0) + 1);
  return turns;
}

/** Gives each delivery a job of its lane that may start, its own one if it may. One for which none is left keeps its own. */
function chooseJobs(
  deliveries: readonly Delivery[],
  laneOf: ReadonlyMap<JobKey, string>,
  held: readonly HeldJob[],
  allowed: readonly JobKey[],
): Delivery[] {
  const left = new Set(allowed);
  const isOwn = deliveries.map(({ key }) => left.delete(key));
  return deliveries.map(({ key, token }, i) => {
    const other = isOwn[i] ? undefined : held.find((job) => left.has(job.key) && job.lane === laneOf.get(key));
    if (other) left.delete(other.key);
    return { key: other?.key ?? key, token };
  });
}

/** The dispatcher lists these held jobs again, and their lanes are due. */
async function leaveToDispatcher(tx: DbSession, keys: readonly JobKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.$executeRaw`
    UPDATE live_jobs SET enqueued_at = NULL
    WHERE key = ANY (${keys}::uuid[]) AND status::text = 'pending' AND place = 'held' AND enqueue_seq = 0 AND enqueued_at IS NOT NULL`;
}

/** A job that cannot start now. */
const REFUSED: ReadonlySet<unknown> = new Set<ClaimAnswer['kind']>(['held', 'unhandled']);

/**
 * Locks those organizations that are not locked, and returns the jobs of the others. In a statement of its own: the next one sees
 * what other transactions have committed before they released the locks.
 */
async function lockOrgs(
  tx: DbSession,
  deliveries: readonly HeldDelivery[],
): Promise<{ orgIds: OrgId[]; locked: ReadonlySet<JobKey>; laneOf: ReadonlyMap<JobKey, string> }> {
  const rows = await tx.$queryRaw<{ key: JobKey; orgId: OrgId; lane: string; isFree: boolean }[]>`
    WITH own AS MATERIALIZED (
      -- Also jobs that other entries have started, and finished ones.
      SELECT d.key, coalesce(j.org_id, l.org_id) AS org_id, coalesce(j.lane, d.lane) AS lane
      FROM unnest(${deliveries.map(({ key }) => key)}::uuid[], ${deliveries.map(({ lane }) => lane)}::uuid[]) AS d(key, lane)
      LEFT JOIN LATERAL (
        SELECT j.org_id, ${LANE_OF_JOB} AS lane FROM live_jobs j WHERE j.key = d.key OFFSET 0) AS j ON true
      LEFT JOIN limit_lanes l ON l.lane = d.lane),
    free AS MATERIALIZED (
      SELECT id FROM organizations WHERE id IN (SELECT org_id FROM own) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
    holds AS MATERIALIZED (
      -- No hold begins or ends before the starts are committed.
      SELECT 1 FROM limit_holds h, set_config('lock_timeout', ${`${CLAIM_LOCK_MS}`}, true)
      WHERE h.org_id IN (SELECT id FROM free) ORDER BY h.org_id, h.name FOR NO KEY UPDATE OF h)
    SELECT key, org_id AS "orgId", lane, id IS NOT NULL AS "isFree" FROM own LEFT JOIN free ON id = org_id,
      set_config('lock_timeout', ${`${CLAIM_LOCK_MS}`}, true)
    WHERE org_id IS NOT NULL AND (SELECT count(*) FROM holds) >= 0`;
  const free = rows.filter(({ isFree }) => isFree);
  return {
    orgIds: [...new Set(free.map(({ orgId }) => orgId))],
    locked: new Set(rows.flatMap(({ key, isFree }) => (isFree ? [] : [key]))),
    laneOf: new Map(free.map(({ key, lane }) => [key, lane])),
  };
}

/**
 * Makes waiting and enqueued jobs under a limit held, and returns those of these held jobs that are due, with the first jobs of the
 * lanes that have turns, and what decides whether they may start. Only jobs of locked organizations: another job may have become held
 * since.
 */
async function holdAndRead(
  tx: DbSession,
  { keys, turns, orgIds }: { keys: readonly JobKey[]; turns: Turns; orgIds: readonly OrgId[] },
): Promise<LimitState & { at: Date; held: HeldJob[] }> {
  const asked = Prisma.sql`SELECT "orgId", type FROM d`;
  const [found] = await tx.$queryRaw<[LimitState & { at: Date; held: HeldJob[] }]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    h AS (
      UPDATE live_jobs j SET place = 'held'
      WHERE j.key = ANY (${keys}::uuid[]) AND j.status::text = 'pending'
        AND j.place IN ('waiting', 'enqueued') AND j.org_id = ANY (${orgIds}::uuid[]) AND ${UNDER_LIMIT}
      RETURNING j.key),
    f AS MATERIALIZED (
      SELECT f.key FROM unnest(${[...turns.keys()]}::uuid[], ${[...turns.values()]}::int[]) AS n(lane, turns), LATERAL (
        SELECT j.key FROM live_jobs j
        -- The condition on retries selects the index.
        WHERE ${LANE_OF_JOB} = n.lane AND j.status = 'pending' AND j.place = 'held' AND j.retries >= 0 AND j.run_at <= now()
          AND j.crash_count = 0
        ORDER BY ${LANE_OF_JOB}, j.priority DESC, j.run_at, j.key LIMIT n.turns) AS f),
    d AS MATERIALIZED (
      SELECT j.key, j.org_id AS "orgId", j.type, coalesce(j.limit_name, '') AS "limitName",
        coalesce(j.limit_key, '') AS "limitKey", j.priority, ${LANE_OF_JOB} AS lane
      FROM t, live_jobs j
      WHERE j.key = ANY (${keys}::uuid[] || (SELECT array_agg(key) FROM f)::uuid[]) AND j.status::text = 'pending'
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

/**
 * SQL: what the name of the queue of a parked job begins with, before its type. No worker consumes such a queue: the job waits there,
 * without cost, for the first worker that has its type (`unknown-type.ts`).
 */
export const UNKNOWN = Prisma.raw(`'?'`);

/** SQL: whether the job `j` is parked. */
export const IS_PARKED = Prisma.sql`left(j.queue, 1) = ${UNKNOWN}`;

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
      WHERE j.key = ANY ((SELECT array_agg(key) FROM o)::uuid[]) AND j.status::text = 'pending' AND j.place NOT IN ('held', 'blocked', 'failing')
        AND NOT ${IS_PARKED}
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
