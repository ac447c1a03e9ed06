import type { OrgId } from '@jobline/contracts';
import type { Limit } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** What a caller sets of a limit. */
export type LimitSettings = Pick<Limit, 'types' | 'concurrency' | 'perSecond' | 'burst' | 'per' | 'ordered' | 'paused'>;

export interface LimitRow extends LimitSettings {
  name: string;
}

/** A limit with the numbers of its jobs. */
export interface CountedLimitRow extends LimitRow {
  running: number;
  waiting: number;
}

/** A key whose jobs wait, and since when its longest-waiting job has been due. */
export interface WaitingKeyRow {
  /** Null: the jobs without a key. */
  key: string | null;
  since: Date;
}

/** Waiting jobs are counted up to this number, because counting costs as much as there is to count. */
const MAX_COUNTED = 100_000;

/** The organization's limits, or the named one, by name, with the numbers of their jobs. */
export function listLimits(db: DbSession, orgId: OrgId, name: string | null = null): Promise<CountedLimitRow[]> {
  // The jobs of a type are counted once, although many limits may list it.
  return db.$queryRaw<CountedLimitRow[]>`
    WITH own AS MATERIALIZED (
      SELECT * FROM limits WHERE org_id = ${orgId}::uuid AND (${name}::text IS NULL OR name = ${name})),
    due AS MATERIALIZED (
      SELECT t.type, (SELECT count(*) FROM (
        SELECT 1 FROM live_jobs j WHERE j.org_id = ${orgId}::uuid AND j.type = t.type AND j.status = 'pending'
          AND j.place <> 'scheduled' AND j.run_at <= now() LIMIT ${MAX_COUNTED}) AS of_type) AS jobs
      FROM (SELECT DISTINCT unnest(types) AS type FROM own) AS t)
    SELECT l.name, l.types, l.concurrency, l.per_second AS "perSecond", l.burst, l.per::text AS per, l.ordered, l.paused,
      (SELECT count(*)::int FROM live_jobs j WHERE j.status = 'processing' AND j.org_id = l.org_id
        AND (j.limit_name = l.name OR j.type = ANY (l.types))) AS running,
      least(${MAX_COUNTED}, (SELECT coalesce(sum(jobs), 0) FROM due WHERE type = ANY (l.types)) + (SELECT count(*) FROM (
        SELECT 1 FROM live_jobs j WHERE j.org_id = l.org_id AND j.limit_name = l.name AND j.status = 'pending'
          AND j.place <> 'scheduled' AND j.run_at <= now() AND j.type <> ALL (l.types) LIMIT ${MAX_COUNTED}) AS named))::int AS waiting
    FROM own l ORDER BY l.name`;
}

/** How many limits an organization has. */
export function countLimits(db: DbSession, orgId: OrgId): Promise<number> {
  return db.limit.count({ where: { orgId } });
}

export async function findLimit(db: DbSession, orgId: OrgId, name: string): Promise<LimitRow | null> {
  const [row] = await db.$queryRaw<LimitRow[]>`
    SELECT name, types, concurrency, per_second AS "perSecond", burst, per::text AS per, ordered, paused
    FROM limits WHERE org_id = ${orgId}::uuid AND name = ${name}`;
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

/** Creates a limit, or replaces the one of that name. */
export async function saveLimit(db: DbSession, orgId: OrgId, limit: LimitRow): Promise<void> {
  const { name, types, concurrency, perSecond, burst, per, ordered, paused } = limit;
  await db.$executeRaw`
    INSERT INTO limits (org_id, name, types, concurrency, per_second, burst, per, ordered, paused)
    VALUES (${orgId}::uuid, ${name}, ${types}::text[], ${concurrency}::int, ${perSecond}::float8, ${burst}::int,
      ${per}::limit_scope, ${ordered}, ${paused})
    ON CONFLICT (org_id, name) DO UPDATE SET types = excluded.types, concurrency = excluded.concurrency,
      per_second = excluded.per_second, burst = excluded.burst, per = excluded.per, ordered = excluded.ordered,
      paused = excluded.paused, updated_at = now()`;
}

/** Returns whether the organization had such a limit. Its jobs keep the name. */
export async function deleteLimit(db: DbSession, orgId: OrgId, name: string): Promise<boolean> {
  return (await db.$executeRaw`DELETE FROM limits WHERE org_id = ${orgId}::uuid AND name = ${name}`) > 0;
}

/** The keys whose jobs have waited for a limit for the longest time, at most `limit` of them. */
export function listWaitingKeys(
  db: DbSession,
  orgId: OrgId,
  { name, types }: Pick<LimitRow, 'name' | 'types'>,
  limit: number,
): Promise<WaitingKeyRow[]> {
  return db.$queryRaw<WaitingKeyRow[]>`
    SELECT nullif(limit_key, '') AS key, min(head_at) AS since FROM limit_lanes
    WHERE org_id = ${orgId}::uuid AND idle_since IS NULL AND head_at <= now()
      AND (limit_name = ${name} OR type = ANY (${types}::text[]))
    GROUP BY limit_key ORDER BY since, limit_key LIMIT ${limit}`;
}

/** Adapts the used up rates of a limit to its new rate: what has to be waited for stays the same number of starts. */
export async function scaleRates(db: DbSession, orgId: OrgId, name: string, factor: number): Promise<void> {
  await db.$executeRaw`
    UPDATE limit_rates SET next_at = now() + (next_at - now()) * ${factor}::float8
    WHERE org_id = ${orgId}::uuid AND name = ${name} AND next_at > now()`;
}
