import type { OrgId } from '@jobline/contracts';
import { type Limit, Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** What a caller sets of a limit. */
export interface LimitSettings
  extends Pick<Limit, 'types' | 'concurrency' | 'perSecond' | 'burst' | 'per' | 'ordered' | 'paused'> {
  /** When it holds itself. Null: never. */
  hold: { after: number; probeSeconds: number } | null;
}

export interface LimitRow extends LimitSettings {
  name: string;
}

/** A limit with the numbers of its jobs. */
export interface CountedLimitRow extends LimitRow {
  /** Null: it does not hold itself now. */
  heldSince: Date | null;
  running: number;
  waiting: number;
}

/** A key whose jobs wait, and since when its longest-waiting job has been due. */
export interface WaitingKeyRow {
  /** Null: the jobs without a key. */
  key: string | null;
  since: Date;
}

/**
 * About how many waiting jobs one statement counts, because counting costs as much as there is to count. Each type, and each
 * limit as a name, first has an equal share of a tenth. Those that have more jobs then have an equal share of the whole.
 */
const MAX_COUNTED = 50_000;

/** SQL: how many waiting jobs of the type or of the named limit of `s` are due, counted up to a number. */
const countDue = (orgId: OrgId, most: Prisma.Sql) => {
  // The condition on enqueue_seq selects the index.
  const due = Prisma.sql`FROM live_jobs j
    WHERE j.org_id = ${orgId}::uuid AND j.status = 'pending' AND j.place IN ('waiting', 'held') AND j.enqueue_seq >= 0
      AND j.run_at <= now()`;
  return Prisma.sql`CASE WHEN s.type IS NOT NULL
    THEN (SELECT count(*) FROM (SELECT 1 ${due} AND j.type = s.type LIMIT (${most})) AS of_type)
    ELSE (SELECT count(*) FROM (SELECT j.type ${due} AND j.limit_name = s.name LIMIT (${most})) AS named
      WHERE NOT EXISTS (
        SELECT 1 FROM limit_types t WHERE t.org_id = ${orgId}::uuid AND t.name = s.name AND t.type = named.type))
    END`;
};

/** The organization's limits, or the named one, by name, with the numbers of their jobs. */
export function listLimits(db: DbSession, orgId: OrgId, name: string | null = null): Promise<CountedLimitRow[]> {
  const own = Prisma.sql`org_id = ${orgId}::uuid AND (${name}::text IS NULL OR name = ${name})`;
  const firstShare = Prisma.sql`SELECT greatest(1, ${MAX_COUNTED / 10}::int / count(*)) FROM counted`;
  const share = Prisma.sql`SELECT greatest(1, ${MAX_COUNTED}::int / count(*)) FROM first WHERE jobs >= (${firstShare})`;
  // The jobs of a type are counted once, although many limits may list it. The enqueued jobs are under no limit.
  return db.$queryRaw<CountedLimitRow[]>`
    WITH listed AS MATERIALIZED (SELECT name, type FROM limit_types WHERE ${own}),
    counted AS MATERIALIZED (
      SELECT DISTINCT NULL AS name, type FROM listed UNION ALL SELECT name, NULL FROM limits WHERE ${own}),
    first AS MATERIALIZED (SELECT s.name, s.type, ${countDue(orgId, firstShare)} AS jobs FROM counted s),
    due AS MATERIALIZED (
      SELECT s.name, s.type, CASE WHEN s.jobs < (${firstShare}) THEN s.jobs
        ELSE ${countDue(orgId, share)} END AS jobs
      FROM first s),
    running AS MATERIALIZED (
      SELECT type, limit_name AS name, count(*) AS jobs FROM live_jobs
      WHERE status = 'processing' AND org_id = ${orgId}::uuid GROUP BY type, limit_name),
    numbers AS (
      SELECT name, sum(running) AS running, sum(waiting) AS waiting FROM (
        SELECT l.name, 0 AS running, d.jobs AS waiting FROM listed l JOIN due d USING (type)
        UNION ALL SELECT name, 0, jobs FROM due WHERE name IS NOT NULL
        UNION ALL SELECT l.name, r.jobs, 0 FROM listed l JOIN running r USING (type)
        UNION ALL SELECT name, jobs, 0 FROM running r
          WHERE NOT EXISTS (SELECT 1 FROM listed l WHERE l.name = r.name AND l.type = r.type)) AS parts
      GROUP BY name)
    -- An array of texts is decoded in JavaScript, which takes several times longer.
    SELECT l.name, to_json(l.types) AS types, l.concurrency, l.per_second AS "perSecond", l.burst, l.per::text AS per, l.ordered, l.paused,
      ${HOLD}, h.held_since AS "heldSince", coalesce(n.running, 0)::int AS running, least(${MAX_COUNTED}, coalesce(n.waiting, 0))::int AS waiting
    FROM (SELECT * FROM limits WHERE ${own}) AS l LEFT JOIN numbers n USING (name)
      LEFT JOIN limit_holds h ON h.org_id = l.org_id AND h.name = l.name
    ORDER BY l.name`;
}

/** SQL: when a limit holds itself. */
const HOLD = Prisma.sql`CASE WHEN h.name IS NOT NULL THEN json_build_object('after', h.after, 'probeSeconds', h.probe_seconds) END AS hold`;

/** How many limits an organization has. */
export function countLimits(db: DbSession, orgId: OrgId): Promise<number> {
  return db.limit.count({ where: { orgId } });
}

export async function findLimit(db: DbSession, orgId: OrgId, name: string): Promise<LimitRow | null> {
  const [row] = await db.$queryRaw<LimitRow[]>`
    SELECT l.name, l.types, l.concurrency, l.per_second AS "perSecond", l.burst, l.per::text AS per, l.ordered, l.paused, ${HOLD}
    FROM limits l LEFT JOIN limit_holds h ON h.org_id = l.org_id AND h.name = l.name
    WHERE l.org_id = ${orgId}::uuid AND l.name = ${name}`;
  return row ?? null;
}

/** Those of these names that the organization has no limit of. */
export async function unknownLimits(
  db: DbSession,
  orgId: OrgId,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT n.name FROM unnest(${names}::text[]) AS n(name)
    WHERE NOT EXISTS (SELECT 1 FROM limits l WHERE l.org_id = ${orgId}::uuid AND l.name = n.name)`;
  return new Set(rows.map(({ name }) => name));
}

/** Creates a limit, or replaces the one of that name. A hold continues, unless the limit does not hold itself any more. */
export async function saveLimit(db: DbSession, orgId: OrgId, limit: LimitRow): Promise<void> {
  const { name, types, concurrency, perSecond, burst, per, ordered, paused, hold } = limit;
  await db.$executeRaw`
    WITH r AS (${deleteRates(orgId, name)} AND ${perSecond}::float8 IS NULL)
    INSERT INTO limits (org_id, name, types, concurrency, per_second, burst, per, ordered, paused)
    VALUES (${orgId}::uuid, ${name}, ${types}::text[], ${concurrency}::int, ${perSecond}::float8, ${burst}::int,
      ${per}::limit_scope, ${ordered}, ${paused})
    ON CONFLICT (org_id, name) DO UPDATE SET types = excluded.types, concurrency = excluded.concurrency,
      per_second = excluded.per_second, burst = excluded.burst, per = excluded.per, ordered = excluded.ordered,
      paused = excluded.paused, updated_at = now()`;
  if (!hold) await db.limitHold.deleteMany({ where: { orgId, name } });
  else
    await db.limitHold.upsert({
      where: { orgId_name: { orgId, name } },
      create: { orgId, name, ...hold },
      update: hold,
    });
}

/** Returns whether the organization had such a limit. Its jobs keep the name. */
export async function deleteLimit(db: DbSession, orgId: OrgId, name: string): Promise<boolean> {
  const deleted = await db.$executeRaw`
    WITH r AS (${deleteRates(orgId, name)})
    DELETE FROM limits WHERE org_id = ${orgId}::uuid AND name = ${name}`;
  return deleted > 0;
}

/** The highest number of used up rates that are deleted with a limit: what is left applies to at most one burst. */
const MAX_RATES = 1_000;

/** SQL: forgets how far the rate of a limit is used up, and the rates of its keys. */
const deleteRates = (orgId: OrgId, name: string) => Prisma.sql`
  DELETE FROM limit_rates WHERE org_id = ${orgId}::uuid AND name = ${name} AND limit_key IN (
    SELECT limit_key FROM limit_rates WHERE org_id = ${orgId}::uuid AND name = ${name} ORDER BY limit_key LIMIT ${MAX_RATES})`;

/** The highest number of lanes that are read for each type of a limit, and for its name. */
const MAX_LANES = 200;

/**
 * The keys whose jobs have waited for a limit for the longest time, at most `limit` of them. It reads the MAX_LANES lanes of
 * each type, and of those that name the limit, that have waited longest.
 */
export function listWaitingKeys(db: DbSession, orgId: OrgId, name: string, limit: number): Promise<WaitingKeyRow[]> {
  const waiting = Prisma.sql`
    SELECT limit_key, head_at FROM limit_lanes WHERE org_id = ${orgId}::uuid AND idle_since IS NULL AND head_at <= now()`;
  return db.$queryRaw<WaitingKeyRow[]>`
    SELECT nullif(limit_key, '') AS key, min(head_at) AS since FROM (
      (${waiting} AND limit_name <> '' AND limit_name = ${name} ORDER BY org_id, limit_name, head_at LIMIT ${MAX_LANES})
      UNION ALL
      (SELECT w.* FROM limit_types t, LATERAL (
        ${waiting} AND type = t.type ORDER BY org_id, type, head_at LIMIT ${MAX_LANES}) AS w
       WHERE t.org_id = ${orgId}::uuid AND t.name = ${name})) AS lanes
    GROUP BY limit_key ORDER BY since, limit_key LIMIT ${limit}`;
}

/**
 * Adapts the used up rates of a limit to its new rate: what has to be waited for stays the same number of starts. At most `limit`
 * keys; those after them may start too early or wait, by at most one burst.
 */
export async function scaleRates(
  db: DbSession,
  orgId: OrgId,
  name: string,
  { factor, limit }: { factor: number; limit: number },
): Promise<void> {
  await db.$executeRaw`
    UPDATE limit_rates SET next_at = now() + (next_at - now()) * ${factor}::float8
    WHERE org_id = ${orgId}::uuid AND name = ${name} AND next_at > now() AND limit_key IN (
      SELECT limit_key FROM limit_rates WHERE org_id = ${orgId}::uuid AND name = ${name}
      ORDER BY org_id, name, limit_key LIMIT ${limit})`;
}
