import type { OrgId } from '@jobline/contracts';
import { type Limit, Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** The name of the operator's bound as a limit. No other limit has it. */
export const OPERATOR_LIMIT = '*';

/** A limit as the engine applies it. */
export interface LimitRule
  extends Pick<Limit, 'name' | 'concurrency' | 'perSecond' | 'burst' | 'per' | 'ordered' | 'paused'> {
  orgId: OrgId;
  /** Of the job types that it applies to, those that were asked for. */
  types: string[];
  /** Present: the limit holds itself now. */
  hold: Hold | null;
  /** Different after each change. */
  version: string;
}

/** A hold of a limit: nothing under it starts, except probes. */
export interface Hold {
  /** When the next probe may start, in ms since 1970, by the database's clock. */
  probeAtMs: number;
  /** Whether the last probe still runs. */
  isProbing: boolean;
}

/** What decides under which limits a job is, and as which of their keys it counts. */
export interface LimitedJob {
  orgId: OrgId;
  type: string;
  /** The limit that the job names. Empty: none. */
  limitName: string;
  /** Empty: none. */
  limitKey: string;
}

/** How many running jobs of an organization have the same type, limit and key. */
export interface RunningCount extends LimitedJob {
  running: number;
}

/** Until when the starts so far use up the rate of a limit, or of one of its keys. */
export interface RateState {
  orgId: OrgId;
  name: string;
  limitKey: string;
  /** In ms since 1970, by the database's clock. */
  nextAtMs: number;
}

/** What decides which jobs of some organizations may start. */
export interface LimitState {
  /** Of a limit, those of its types that the jobs have: together, the limits of an organization may list thousands of long names. */
  rules: LimitRule[];
  running: RunningCount[];
  /** Those of whole organizations. `listRates` reads those of keys. */
  rates: RateState[];
}

/** The limits of these organizations as they apply to these jobs and to those that run. */
export async function readLimitState(
  db: DbSession,
  orgIds: readonly OrgId[],
  jobs: readonly Pick<LimitedJob, 'orgId' | 'type'>[],
): Promise<LimitState> {
  const asked = Prisma.sql`
    SELECT * FROM unnest(${jobs.map(({ orgId }) => orgId)}::uuid[], ${jobs.map(({ type }) => type)}::text[]) AS a(org_id, type)`;
  const [state] = await db.$queryRaw<[LimitState]>`${limitState(orgIds, asked)}`;
  return state;
}

/**
 * SQL: a query of one row, LimitState, in JSON. `asked`: a query of the organizations and types of jobs. The operator's bound of
 * running jobs is a limit of each organization. The number of running jobs that are read is at most the number of slots.
 */
export function limitState(orgIds: readonly OrgId[], asked: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH running AS MATERIALIZED (
      SELECT org_id, type, limit_name, limit_key, count(*)::int AS running
      FROM live_jobs WHERE status = 'processing' AND org_id = ANY (${orgIds}::uuid[])
      GROUP BY org_id, type, limit_name, limit_key),
    asked AS MATERIALIZED (SELECT org_id, type FROM running UNION ${asked}),
    listed AS (SELECT org_id, name, array_agg(type) AS types FROM asked JOIN limit_types USING (org_id, type) GROUP BY org_id, name),
    rules AS (
      SELECT l.org_id, l.name, coalesce(t.types, '{}') AS types, l.concurrency, l.per_second, l.burst, l.per::text AS per, l.ordered,
        l.paused, l.xmin::text AS version, CASE WHEN h.held_since IS NOT NULL THEN json_build_object(
          'probeAtMs', (extract(epoch FROM coalesce(h.probed_at, h.held_since)) + h.probe_seconds) * 1000,
          'isProbing', EXISTS (SELECT 1 FROM live_jobs j
            WHERE j.status = 'processing' AND j.org_id = h.org_id AND j.started_at >= h.probed_at AND (j.limit_name = h.name
              OR EXISTS (SELECT 1 FROM limit_types t WHERE t.org_id = h.org_id AND t.name = h.name AND t.type = j.type)))) END AS hold
      FROM limits l LEFT JOIN listed t ON t.org_id = l.org_id AND t.name = l.name
        LEFT JOIN limit_holds h ON h.org_id = l.org_id AND h.name = l.name
      WHERE l.org_id = ANY (${orgIds}::uuid[])
      UNION ALL
      SELECT o.org_id, ${OPERATOR_LIMIT}, '{}', org_max_running, NULL, NULL, 'organization', false, false, '', NULL
      FROM operator_limits, unnest(${orgIds}::uuid[]) AS o(org_id))
    SELECT (SELECT coalesce(json_agg(json_build_object('orgId', org_id, 'name', name, 'types', types, 'concurrency', concurrency,
        'perSecond', per_second, 'burst', burst, 'per', per, 'ordered', ordered, 'paused', paused, 'hold', hold, 'version', version)), '[]')
      FROM rules) AS rules,
      (SELECT coalesce(json_agg(json_build_object('orgId', org_id, 'type', type, 'limitName', coalesce(limit_name, ''),
        'limitKey', coalesce(limit_key, ''), 'running', running)), '[]') FROM running) AS running,
      (SELECT coalesce(json_agg(json_build_object('orgId', l.org_id, 'name', l.name, 'limitKey', '', 'nextAtMs', r.ms)), '[]')
        FROM rules l, LATERAL (
          SELECT (extract(epoch FROM next_at) * 1000)::float8 AS ms FROM limit_rates
          WHERE org_id = l.org_id AND name = l.name AND limit_key = '' OFFSET 0) AS r
        WHERE l.per = 'organization' AND l.per_second IS NOT NULL) AS rates`;
}

/** The rates of these limits and keys, as far as they are in use. */
export async function listRates(db: DbSession, of: readonly Omit<RateState, 'nextAtMs'>[]): Promise<RateState[]> {
  if (of.length === 0) return [];
  return db.$queryRaw<RateState[]>`
    SELECT r.org_id AS "orgId", r.name, r.limit_key AS "limitKey", (extract(epoch FROM r.next_at) * 1000)::float8 AS "nextAtMs"
    FROM unnest(${of.map(({ orgId }) => orgId)}::uuid[], ${of.map(({ name }) => name)}::text[],
      ${of.map(({ limitKey }) => limitKey)}::text[]) AS n(org_id, name, limit_key)
    JOIN limit_rates r ON r.org_id = n.org_id AND r.name = n.name AND r.limit_key = n.limit_key`;
}

/** Stores the rates after the starts of a transaction. */
export async function saveRates(tx: DbSession, rates: readonly RateState[]): Promise<void> {
  if (rates.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO limit_rates (org_id, name, limit_key, next_at)
    SELECT n.org_id, n.name, n.limit_key, to_timestamp(n.next_at_ms / 1000)
    FROM unnest(${rates.map(({ orgId }) => orgId)}::uuid[], ${rates.map(({ name }) => name)}::text[],
      ${rates.map(({ limitKey }) => limitKey)}::text[], ${rates.map(({ nextAtMs }) => nextAtMs)}::float8[])
      AS n(org_id, name, limit_key, next_at_ms)
    ON CONFLICT (org_id, name, limit_key) DO UPDATE SET next_at = excluded.next_at`;
}

/** Stores that probes of these limits start now, in the transaction that starts them. */
export async function saveProbes(
  tx: DbSession,
  of: readonly { orgId: OrgId; name: string }[],
  nowMs: number,
): Promise<void> {
  if (of.length === 0) return;
  await tx.$executeRaw`
    UPDATE limit_holds h SET probed_at = to_timestamp(${nowMs}::float8 / 1000)
    FROM unnest(${of.map(({ orgId }) => orgId)}::uuid[], ${of.map(({ name }) => name)}::text[]) AS n(org_id, name)
    WHERE h.org_id = n.org_id AND h.name = n.name`;
}

/** Deletes rates that are no longer used up, about `limit` of them. */
export async function deleteUnusedRates(db: DbSession, limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM limit_rates WHERE (org_id, name, limit_key) IN (
      SELECT org_id, name, limit_key FROM limit_rates WHERE next_at < now() ORDER BY next_at LIMIT ${limit}
      FOR UPDATE SKIP LOCKED)`;
}

/** The database's clock, in whole ms since 1970. */
export async function readNowMs(db: DbSession): Promise<number> {
  const [row] = await db.$queryRaw<
    [{ ms: number }]
  >`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`;
  return row.ms;
}

/** Stores the operator's bound. Jobs that are enqueued already start without it. */
export async function saveOrgMaxRunning(db: DbSession, max: number | null): Promise<void> {
  if (max === null) await db.$executeRaw`DELETE FROM operator_limits`;
  else {
    await db.$executeRaw`
      INSERT INTO operator_limits (org_max_running) VALUES (${max})
      ON CONFLICT (id) DO UPDATE SET org_max_running = excluded.org_max_running
      WHERE operator_limits.org_max_running <> excluded.org_max_running`;
  }
}
