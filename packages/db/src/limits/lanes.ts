import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Position } from '../jobs/transitions/claim-waiting.js';
import { LANE_OF_JOB } from '../jobs/transitions/held.js';
import type { Enqueueable } from '../jobs/transitions/insert.js';
import type { DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import { FIRST_ID } from '../postgres/page.js';
import { type LimitedJob, type LimitRule, OPERATOR_LIMIT } from './limit-rules.js';

/** A lane: held jobs that are under the same limits with the same key. */
export interface Lane extends LimitedJob {
  id: string;
  queue: string;
  headPriority: number;
  headAt: Date;
  idleSince: Date | null;
}

/** What the dispatcher found out about a lane. */
export interface LaneState {
  id: string;
  /** When to look at it next, in ms from now. */
  wakeInMs: number;
  /** The limit of the organization that allows no start now. Null: the lane is looked at when its time has come. */
  parkedOn: string | null;
  /** The limit whose rate decides `wakeInMs`. If it has changed, the lane is looked at now. */
  waitsFor: string | null;
  /** Whether all of its jobs that may start are dispatched. */
  isIdle: boolean;
}

/** The next organizations with held jobs, in the order of their ids: at most `limit` after `after`. */
export async function listLaneOrgs(hot: HotDb, after: OrgId | null, limit: number): Promise<OrgId[]> {
  const rows = await hot.query<{ orgId: OrgId }>`
    WITH RECURSIVE orgs(org_id, n) AS (
      (SELECT org_id, 1 FROM limit_lanes WHERE org_id > ${after ?? FIRST_ID}::uuid ORDER BY org_id, limit_key LIMIT 1)
      UNION ALL
      (SELECT l.org_id, o.n + 1 FROM orgs o, LATERAL (
        SELECT org_id FROM limit_lanes WHERE org_id > o.org_id ORDER BY org_id, limit_key LIMIT 1) AS l
       WHERE o.n < ${limit}::int))
    SELECT org_id AS "orgId" FROM orgs ORDER BY n`;
  return rows.map(({ orgId }) => orgId);
}

/** A limit that allows no job of its organization to start now. */
export interface ClosedLimit {
  orgId: OrgId;
  name: string;
}

/** The highest number of limits on which lanes of one organization can be parked: its limits, and the operator's. */
const MAX_PARKED_ON = 101;

/**
 * Lanes to look at now: for each organization at most `limit` whose time has come, and at most `limit` for each limit on
 * which lanes are parked and that is not closed any more, those with the highest priority and then the oldest job first.
 * The cost does not grow with the number of lanes that wait.
 */
export function listLanes(
  db: DbSession,
  orgIds: readonly OrgId[],
  closed: readonly ClosedLimit[],
  limit: number,
): Promise<Lane[]> {
  return db.$queryRaw<Lane[]>`
    SELECT l.lane AS id, l.org_id AS "orgId", l.queue, l.type, l.limit_name AS "limitName", l.limit_key AS "limitKey",
      l.head_priority AS "headPriority", l.head_at AS "headAt", l.idle_since AS "idleSince"
    FROM unnest(${orgIds}::uuid[]) AS o(org_id), LATERAL (
      (SELECT * FROM limit_lanes
       WHERE org_id = o.org_id AND parked_on IS NULL AND wake_at <= now()
       ORDER BY org_id, wake_at LIMIT ${limit}::int)
      UNION ALL
      (WITH RECURSIVE parked(name, n) AS (
        (SELECT parked_on, 1 FROM limit_lanes WHERE org_id = o.org_id AND parked_on IS NOT NULL
         ORDER BY org_id, parked_on, head_priority DESC, head_at LIMIT 1)
        UNION ALL
        (SELECT x.parked_on, p.n + 1 FROM parked p, LATERAL (
          SELECT parked_on FROM limit_lanes WHERE org_id = o.org_id AND parked_on IS NOT NULL AND parked_on > p.name
          ORDER BY org_id, parked_on, head_priority DESC, head_at LIMIT 1) AS x
         WHERE p.n < ${MAX_PARKED_ON}::int))
       SELECT open.* FROM parked p, LATERAL (
        SELECT * FROM limit_lanes WHERE org_id = o.org_id AND parked_on IS NOT NULL AND parked_on = p.name
        ORDER BY org_id, parked_on, head_priority DESC, head_at LIMIT ${limit}::int) AS open
       WHERE NOT EXISTS (
        SELECT 1 FROM unnest(${closed.map(({ orgId }) => orgId)}::uuid[], ${closed.map(({ name }) => name)}::text[])
          AS c(org_id, name)
        WHERE c.org_id = o.org_id AND c.name = p.name))) AS l`;
}

/** A lane to list, and how many of its jobs. */
export interface ListedLane {
  id: string;
  limit: number;
}

const HELD_COLUMNS = Prisma.sql`j.key, j.queue, j.enqueue_seq + 1 AS seq, j.type, j.priority, j.run_at AS "runAt",
  j.org_id AS "orgId", ${LANE_OF_JOB} AS lane, coalesce(j.limit_name, '') AS "limitName", coalesce(j.limit_key, '') AS "limitKey",
  j.crash_count AS "crashCount", true AS "isListed"`;

/** A held job that may be dispatched. */
export interface ListedHeld extends Enqueueable, Position, LimitedJob {
  lane: string;
  crashCount: number;
}

/** So long the entry that a submission added for a held job may take to be claimed. */
const ADDED_FOR_MS = 500;

/**
 * The first jobs of these lanes that are due, each lane's by priority and then age, without those whose entries are in
 * Redis.
 */
export function listHeld(
  db: DbSession,
  lanes: readonly ListedLane[],
  except: readonly JobKey[],
): Promise<ListedHeld[]> {
  return db.$queryRaw<ListedHeld[]>`
    SELECT h.* FROM unnest(${lanes.map(({ id }) => id)}::uuid[], ${lanes.map(({ limit }) => limit)}::int[])
      WITH ORDINALITY AS n(lane, own_limit, turn), LATERAL (
      SELECT ${HELD_COLUMNS} FROM live_jobs j
      -- The condition on retries selects the index.
      WHERE ${LANE_OF_JOB} = n.lane AND j.status = 'pending' AND j.place = 'held' AND j.retries >= 0 AND j.run_at <= now()
        AND j.key <> ALL (${except}::uuid[])
        -- The submission has added an entry. If it is lost, the job is listed later.
        AND (j.enqueue_seq > 0 OR j.enqueued_at IS NULL OR j.enqueued_at <= now() - ${ADDED_FOR_MS} * interval '1 ms')
      ORDER BY ${LANE_OF_JOB}, j.priority DESC, j.run_at, j.key LIMIT n.own_limit) AS h
    ORDER BY n.turn`;
}

/** Those of these jobs that are still held. */
export function findHeld(db: DbSession, keys: readonly JobKey[]): Promise<ListedHeld[]> {
  return db.$queryRaw<ListedHeld[]>`
    SELECT ${HELD_COLUMNS} FROM live_jobs j WHERE j.key = ANY (${keys}::uuid[]) AND j.status::text = 'pending' AND j.place = 'held'`;
}

/** The first job of a key under an ordered limit. */
export interface OrderedHead {
  orgId: OrgId;
  name: string;
  limitKey: string;
  key: JobKey;
  /** In ms from now; it is due at 0 or less. */
  dueInMs: number;
  /** False: the limit has just become ordered, and an earlier job of the key may not be held yet. */
  isSure: boolean;
}

/** SQL: the held jobs of a key that have a type, and those that name a limit, by acceptance: the expressions of two indexes. */
const TYPE_AND_KEY = Prisma.sql`lane_of(j.org_id, '', j.type, NULL, j.limit_key)`;
const NAME_AND_KEY = Prisma.sql`lane_of(j.org_id, '', '', j.limit_name, j.limit_key)`;

/**
 * The first held job, in the order of acceptance, of each of these keys under each of these ordered limits. Reads one job for each
 * type of the limit, and one of those that name it, however many jobs and lanes the key has.
 */
export function listOrderedHeads(
  db: DbSession,
  of: readonly { orgId: OrgId; name: string; limitKey: string }[],
): Promise<OrderedHead[]> {
  const first = (expression: Prisma.Sql, value: Prisma.Sql, isNamed: Prisma.Sql) => Prisma.sql`
    SELECT j.key, j.run_at, coalesce(j.accepted_at, j.created_at) AS accepted FROM live_jobs j
    -- The condition on enqueue_seq selects the index.
    WHERE ${expression} = ${value} AND j.status = 'pending' AND j.place = 'held' AND j.enqueue_seq >= 0 ${isNamed}
    ORDER BY ${expression}, coalesce(j.accepted_at, j.created_at), j.key LIMIT 1`;
  return db.$queryRaw<OrderedHead[]>`
    SELECT n.org_id AS "orgId", n.name, n.limit_key AS "limitKey", h.key,
      (extract(epoch FROM h.run_at - clock_timestamp()) * 1000)::float8 AS "dueInMs",
      NOT EXISTS (
        SELECT 1 FROM limit_changes c WHERE c.org_id = n.org_id AND c.name = n.name AND c.held_until <= h.accepted) AS "isSure"
    FROM unnest(${of.map(({ orgId }) => orgId)}::uuid[], ${of.map(({ name }) => name)}::text[],
        ${of.map(({ limitKey }) => limitKey)}::text[]) AS n(org_id, name, limit_key), LATERAL (
      SELECT * FROM (
        (${first(NAME_AND_KEY, Prisma.sql`lane_of(n.org_id, '', '', n.name, n.limit_key)`, Prisma.sql`AND j.limit_name IS NOT NULL`)})
        UNION ALL
        (SELECT f.* FROM limit_types t, LATERAL (
          ${first(TYPE_AND_KEY, Prisma.sql`lane_of(t.org_id, '', t.type, NULL, n.limit_key)`, Prisma.empty)}) AS f
         WHERE t.org_id = n.org_id AND t.name = n.name)) AS firsts
      ORDER BY accepted, key LIMIT 1) AS h`;
}

/**
 * Stores what the dispatcher found out with these limits. A submission that came meanwhile may be noticed only when the
 * lane is looked at next.
 */
export async function saveLanes(
  db: DbSession,
  lanes: readonly LaneState[],
  limits: readonly LimitRule[],
): Promise<void> {
  if (lanes.length === 0) return;
  const ids = lanes.map(({ id }) => id);
  const names = new Set(lanes.flatMap(({ parkedOn, waitsFor }) => parkedOn ?? waitsFor ?? []));
  const used = limits.filter(({ name }) => names.has(name));
  await db.$executeRaw`
    WITH rules AS MATERIALIZED (
      -- Locked, so that a later change of a limit wakes its lanes. No lane waits for a limit that is being changed.
      SELECT org_id, name, types, xmin::text AS version FROM limits
      WHERE name = ANY (${[...names]}::text[])
        AND org_id IN (SELECT org_id FROM limit_lanes WHERE lane = ANY (${ids}::uuid[]))
      FOR SHARE SKIP LOCKED),
    used AS MATERIALIZED (
      SELECT * FROM unnest(${used.map(({ orgId }) => orgId)}::uuid[], ${used.map(({ name }) => name)}::text[],
        ${used.map(({ version }) => version)}::text[]) AS u(org_id, name, version) JOIN rules USING (org_id, name, version)),
    free AS MATERIALIZED (
      -- A lane that another statement changes now stays as it is, and is looked at again.
      SELECT lane FROM limit_lanes WHERE lane = ANY (${ids}::uuid[]) FOR UPDATE SKIP LOCKED)
    UPDATE limit_lanes l SET wake_at = clock_timestamp() + interval '1 ms' * CASE
        WHEN n.waits_for IS NULL OR EXISTS (SELECT 1 FROM used u WHERE u.org_id = l.org_id AND u.name = n.waits_for) THEN n.wake_ms
        ELSE 0 END,
      parked_on = CASE WHEN n.parked_on = ${OPERATOR_LIMIT} OR EXISTS (SELECT 1 FROM rules r
        WHERE r.org_id = l.org_id AND r.name = n.parked_on AND (r.name = l.limit_name OR l.type = ANY (r.types)))
        THEN n.parked_on END,
      idle_since = CASE WHEN n.is_idle THEN coalesce(l.idle_since, clock_timestamp()) END,
      (head_priority, head_at) = (SELECT coalesce(max(h.priority), l.head_priority), coalesce(max(h.run_at), l.head_at) FROM (
        SELECT priority, run_at FROM live_jobs j
        WHERE ${LANE_OF_JOB} = l.lane AND j.status = 'pending' AND j.place = 'held' AND j.retries >= 0
        ORDER BY ${LANE_OF_JOB}, j.priority DESC, j.run_at, j.key LIMIT 1) AS h)
    FROM unnest(${ids}::uuid[], ${lanes.map(({ wakeInMs }) => wakeInMs)}::float8[],
      ${lanes.map(({ parkedOn }) => parkedOn)}::text[], ${lanes.map(({ waitsFor }) => waitsFor)}::text[],
      ${lanes.map(({ isIdle }) => isIdle)}::bool[]) AS n(lane, wake_ms, parked_on, waits_for, is_idle) JOIN free ON free.lane = n.lane
    WHERE l.lane = n.lane`;
}

/** Deletes lanes that have been idle for `idleMs` and have no held job. Call it with more than the longest submission takes. */
export async function deleteIdleLanes(db: DbSession, orgIds: readonly OrgId[], idleMs: number): Promise<void> {
  await db.$executeRaw`
    DELETE FROM limit_lanes l
    WHERE l.org_id = ANY (${orgIds}::uuid[]) AND l.idle_since < clock_timestamp() - ${idleMs} * interval '1 ms'
      AND NOT EXISTS (SELECT 1 FROM live_jobs j
        WHERE ${LANE_OF_JOB} = l.lane AND j.status = 'pending' AND j.place = 'held' AND j.retries >= 0)`;
}

/** Wakes the lanes of these keys, because a job of theirs has finished. */
export async function wakeLanes(db: DbSession, keys: readonly { orgId: OrgId; limitKey: string }[]): Promise<void> {
  await db.$executeRaw`
    UPDATE limit_lanes SET wake_at = clock_timestamp() WHERE lane IN (
      SELECT l.lane FROM unnest(${keys.map(({ orgId }) => orgId)}::uuid[], ${keys.map(({ limitKey }) => limitKey)}::text[])
        AS n(org_id, limit_key)
      JOIN limit_lanes l ON l.org_id = n.org_id AND l.limit_key = n.limit_key
      WHERE l.parked_on IS NULL AND l.wake_at > now() ORDER BY l.lane FOR UPDATE OF l SKIP LOCKED)`;
}

/** The time until a lane of any organization is looked at next, in ms; null: no lane waits for a time. */
export async function nextWakeMs(db: DbSession, orgIds: readonly OrgId[]): Promise<number | null> {
  const [row] = await db.$queryRaw<{ ms: number | null }[]>`
    SELECT min(extract(epoch FROM l.wake_at - clock_timestamp()) * 1000)::float8 AS ms
    FROM unnest(${orgIds}::uuid[]) AS o(org_id), LATERAL (
      SELECT wake_at FROM limit_lanes WHERE org_id = o.org_id AND parked_on IS NULL ORDER BY org_id, wake_at LIMIT 1) AS l`;
  return row?.ms ?? null;
}

/** Wakes lanes of an organization, because its limits have changed: at most `limit`. Returns how many. */
export function wakeOrgLanes(db: DbSession, orgId: OrgId, limit: number): Promise<number> {
  return db.$executeRaw`
    UPDATE limit_lanes SET wake_at = clock_timestamp() WHERE lane IN (
      SELECT lane FROM limit_lanes
      WHERE org_id = ${orgId}::uuid AND parked_on IS NULL AND wake_at > now() + interval '1 s'
      ORDER BY org_id, wake_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}

/** Wakes lanes that are parked on a limit that no longer applies to their jobs: at most `limit`. Returns how many. */
export function unparkLanes(db: DbSession, orgId: OrgId, name: string, limit: number): Promise<number> {
  return db.$executeRaw`
    UPDATE limit_lanes SET wake_at = clock_timestamp(), parked_on = NULL WHERE lane IN (
      SELECT lane FROM limit_lanes
      WHERE org_id = ${orgId}::uuid AND parked_on IS NOT NULL AND parked_on = ${name} AND limit_name <> ${name}
        AND type <> ALL (coalesce((SELECT types FROM limits WHERE org_id = ${orgId}::uuid AND name = ${name}), '{}'))
      LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
