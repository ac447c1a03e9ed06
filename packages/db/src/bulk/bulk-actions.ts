import type { JobKey, JobStatus, JsonObject, OrgId, VisibleTypes } from '@jobline/contracts';
import { type BulkAction, Prisma } from '../generated/client.js';
import { conditionsOf, findRarest, isOneOf, type Labels, labelsOf } from '../jobs/list-jobs.js';
import type { Db, DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import { type Page, type PageRequest, readShortPage } from '../postgres/page.js';
import { whileLocked } from '../postgres/transactions.js';

/** A bulk action and its progress. */
export interface BulkRow extends Omit<BulkAction, 'orgId' | 'filter' | 'types' | 'perSecond' | 'nextAt'> {
  /** As requested; after the end, with hashes. */
  filter: JsonObject;
}

export interface NewBulk extends Pick<BulkAction, 'id' | 'action' | 'perSecond' | 'events' | 'createdBy' | 'apiKey'> {
  /** The job types that the caller may see. The filter selects no others. */
  types: VisibleTypes;
  filter: BulkFilter;
  /** The filter as it was requested. */
  asked: JsonObject;
}

/** The time limit of the transaction that stores an action, with up to a million jobs, on a busy machine. */
const LIMIT_MS = 60_000;
/** How many jobs a part has. */
const PART = 1_000;

const COLUMNS = Prisma.sql`id, action::text AS action, filter, status::text AS status, total, done, skipped, failed, events,
  created_by AS "createdBy", api_key AS "apiKey", created_at AS "createdAt", finished_at AS "finishedAt"`;

/** Stores a bulk action with the jobs that match now, the oldest first, at most `limit` of them. */
export async function createBulk(
  tx: DbSession,
  orgId: OrgId,
  { id, action, perSecond, events, filter, asked, types, createdBy, apiKey }: NewBulk,
  limit: number,
): Promise<BulkRow> {
  const matching = await findMatching(tx, orgId, filter);
  const [row] = await tx.$queryRaw<BulkRow[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    m AS MATERIALIZED (
      SELECT key, (row_number() OVER (ORDER BY created_at, key) - 1) / ${PART}::int AS n
      FROM (${matching}) AS m ORDER BY created_at, key LIMIT ${limit}),
    b AS (
      INSERT INTO bulk_actions (id, org_id, action, filter, types, per_second, events, created_by, api_key, status, total, next_at,
        created_at)
      SELECT ${id}::uuid, ${orgId}::uuid, ${action}::bulk_kind, ${JSON.stringify(asked)}::json, ${types}::text[],
        ${perSecond}::int, ${events}::bool, ${createdBy}::uuid, ${apiKey}::uuid, 'running', c.total, t.now, t.now
      FROM t, (SELECT count(*)::int AS total FROM m) AS c
      RETURNING *),
    p AS (
      INSERT INTO bulk_parts (bulk_id, n, keys)
      SELECT b.id, m.n, array_agg(m.key ORDER BY m.key) FROM m, b GROUP BY b.id, m.n)
    SELECT ${COLUMNS} FROM b`;
  if (!row) throw new Error('a bulk action was not stored');
  return row;
}

/**
 * Runs the start of a bulk action. Those of one organization run one after the other. They do not lock its row: to find the
 * jobs may take seconds, and its jobs under limits could not start meanwhile. `db` has connections of its own, with a long time limit.
 */
export function startInTurn<T>(db: Db, orgId: OrgId, start: (tx: DbSession) => Promise<T>): Promise<T> {
  const name = `bulk ${orgId}`;
  const statement = Prisma.sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0)) FROM limits`;
  return whileLocked(db, { names: [name], statement, limitMs: LIMIT_MS }, start);
}

/** How many bulk actions of an organization are running. */
export async function countRunningBulks(tx: DbSession, orgId: OrgId): Promise<number> {
  return tx.bulkAction.count({ where: { orgId, status: 'running' } });
}

/** A page of an organization's bulk actions, newest first. It ends early if their filters are large. */
export function listBulks(
  db: DbSession,
  orgId: OrgId,
  { types, ...page }: PageRequest & { types: VisibleTypes },
): Promise<Page<BulkRow>> {
  return readShortPage(db, page, {
    columns: COLUMNS,
    from: Prisma.sql`bulk_actions WHERE org_id = ${orgId}::uuid AND ${isVisible(types)}`,
    bytes: Prisma.sql`octet_length(filter::text)`,
  });
}

export async function findBulk(
  db: DbSession,
  orgId: OrgId,
  id: string,
  types: VisibleTypes = null,
): Promise<BulkRow | null> {
  const [row] = await db.$queryRaw<BulkRow[]>`
    SELECT ${COLUMNS} FROM bulk_actions WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid AND ${isVisible(types)}`;
  return row ?? null;
}

/** Stops a running bulk action, after its current step. Null: it does not run. A trigger writes its event (`write_bulk_event.sql`). */
export async function stopBulk(tx: DbSession, orgId: OrgId, id: string, types: VisibleTypes): Promise<BulkRow | null> {
  const [row] = await tx.$queryRaw<BulkRow[]>`
    UPDATE bulk_actions SET status = 'stopped', filter = hashed_filter(org_id, filter), next_at = NULL, finished_at = date_trunc('milliseconds', clock_timestamp())
    WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid AND status = 'running' AND ${isVisible(types)}
    RETURNING ${COLUMNS}`;
  if (row) await tx.$executeRaw`DELETE FROM bulk_parts WHERE bulk_id = ${id}::uuid`;
  return row ?? null;
}

/** SQL: a caller who sees only some job types sees the bulk actions that were restricted to some of these. */
function isVisible(types: VisibleTypes): Prisma.Sql {
  return types === null ? Prisma.sql`true` : Prisma.sql`types <@ ${types}::text[]`;
}

/** A bulk action that is due for a step. */
export interface DueBulk extends Pick<BulkAction, 'id' | 'action' | 'perSecond' | 'events'> {
  orgId: OrgId;
  /** The jobs of the next step. Empty: no job is left, or none matched. */
  keys: JobKey[];
}

/** Steps are this far apart if the number of jobs per second is limited, unless it is less than ten. */
const STEP_MS = 100;

/**
 * Locks the bulk action that has been due for the longest time and that no other process works on, and reads its next jobs:
 * at most `limit`. Null: there is none. `only`: the id of the one to lock.
 */
export async function lockDueBulk(tx: DbSession, limit: number, only: string | null = null): Promise<DueBulk | null> {
  const [row] = await tx.$queryRaw<DueBulk[]>`
    WITH b AS MATERIALIZED (
      SELECT id, org_id, action, per_second, events, done + skipped + failed AS position,
        least(${limit}::int, ceil(coalesce(per_second, ${limit}::int * 10) * ${STEP_MS} / 1000.0))::int AS size
      FROM bulk_actions
      WHERE next_at <= clock_timestamp() AND (${only}::uuid IS NULL OR id = ${only}::uuid)
      ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    SELECT b.id, b.org_id AS "orgId", b.action::text AS action, b.per_second AS "perSecond", b.events,
      -- A step never goes beyond its part.
      coalesce(p.keys[b.position % ${PART}::int + 1 : b.position % ${PART}::int + b.size], '{}') AS keys
    FROM b LEFT JOIN bulk_parts p ON p.bulk_id = b.id AND p.n = b.position / ${PART}::int`;
  return row ?? null;
}

/** What became of the jobs of a step. */
export interface BulkStep {
  done: number;
  skipped: number;
  failed: number;
}

/** Stores a step of a locked bulk action, after which the next is due, or which was the last: then a trigger writes its event. */
export async function saveBulkStep(
  tx: DbSession,
  { id, perSecond }: Pick<DueBulk, 'id' | 'perSecond'>,
  { done, skipped, failed }: BulkStep,
): Promise<void> {
  const jobs = done + skipped + failed;
  await tx.$executeRaw`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    b AS (
      UPDATE bulk_actions b SET done = b.done + ${done}::int, skipped = b.skipped + ${skipped}::int,
        failed = b.failed + ${failed}::int,
        status = (CASE WHEN n.is_last THEN 'done' ELSE 'running' END)::bulk_status,
        filter = CASE WHEN n.is_last THEN hashed_filter(b.org_id, b.filter) ELSE b.filter END, finished_at = CASE WHEN n.is_last THEN t.now END,
        -- A late step is not made up for.
        next_at = CASE WHEN NOT n.is_last THEN greatest(b.next_at, t.now - interval '1 s')
          + coalesce(${jobs}::int * interval '1 s' / ${perSecond}::int, interval '0') END
      FROM t, (SELECT done + skipped + failed + ${jobs}::int >= total AS is_last FROM bulk_actions WHERE id = ${id}::uuid) AS n
      WHERE b.id = ${id}::uuid
      RETURNING b.id, b.status)
    DELETE FROM bulk_parts p USING b WHERE p.bulk_id = b.id AND b.status = 'done'`;
}

/** The time until the next step of any bulk action is due, in ms; null: none is running. */
export async function nextBulkMs(hot: HotDb): Promise<number | null> {
  const [row] = await hot.query<{ ms: number | null }>`
    SELECT (extract(epoch FROM min(next_at) - clock_timestamp()) * 1000)::float8 AS ms FROM bulk_actions WHERE next_at IS NOT NULL`;
  return row?.ms ?? null;
}

/** Puts off the next step of a locked bulk action. */
export async function postponeBulk(tx: DbSession, id: string, delayMs: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE bulk_actions SET next_at = clock_timestamp() + ${delayMs} * interval '1 ms' WHERE id = ${id}::uuid`;
}

/** Deletes bulk actions that finished more than `days` ago: at most `limit`. Returns how many. */
export function deleteOldBulks(db: DbSession, { days, limit }: { days: number; limit: number }): Promise<number> {
  return db.$executeRaw`
    DELETE FROM bulk_actions WHERE id IN (
      SELECT id FROM bulk_actions WHERE finished_at < now() - ${days}::int * interval '1 day' LIMIT ${limit})`;
}

/** Which jobs of an organization a bulk action is about. A job matches if it matches every field that is set. */
export interface BulkFilter extends Labels {
  /** Any text: a text that is not an id matches no job. */
  scheduleId?: string | undefined;
  ids?: readonly string[] | undefined;
  /** Inclusive. Only jobs that have ended match, as with the next two. */
  endedAfter?: Date | undefined;
  /** Exclusive. */
  endedBefore?: Date | undefined;
  /** What `folded_message` makes of the message of a failed job. */
  message?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How many jobs match, at most `limit`. */
export async function countMatching(db: DbSession, orgId: OrgId, filter: BulkFilter, limit: number): Promise<number> {
  const matching = await findMatching(db, orgId, filter);
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM (${matching}) AS m LIMIT ${limit}) AS n`;
  return row?.count ?? 0;
}

/**
 * SQL: the keys of the jobs that match, and when they were created. If the filter has labels, it reads the jobs that have the
 * rarest of them, each by its key, or joins them if they are many; otherwise the jobs of the statuses.
 */
async function findMatching(db: DbSession, orgId: OrgId, filter: BulkFilter): Promise<Prisma.Sql> {
  const { ids, scheduleId, tags = [], limitKey, after } = filter;
  if (scheduleId !== undefined && !UUID.test(scheduleId)) return NONE;
  if (ids) {
    return labeled(
      Prisma.sql`SELECT * FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND id = ANY (${ids}::text[])`,
      filter,
    );
  }
  if (tags.length === 0 && [limitKey, scheduleId, after].every((label) => label === undefined))
    return ofStatuses(orgId, filter);
  return labeled(await findRarest(db, labelsOf(orgId, filter)), filter);
}

const NONE = Prisma.sql`SELECT NULL::uuid AS key, NULL::timestamptz AS created_at WHERE false`;

function labeled(label: Prisma.Sql, filter: BulkFilter): Prisma.Sql {
  const { statuses } = filter;
  const isSearched = (...some: JobStatus[]) => statuses.length === 0 || some.some((one) => statuses.includes(one));
  const ended = endedIn(filter);
  // The tables that may have a job.
  const tables = [
    ...(isSearched('pending', 'processing') && ended.length === 0
      ? [Prisma.sql`SELECT status, type, tags, limit_key, NULL AS error_code FROM live_jobs WHERE key = c.key`]
      : []),
    ...(isSearched('done', 'failed')
      ? [
          Prisma.sql`SELECT status, type, tags, limit_key, error_code FROM finished_jobs
            WHERE ${Prisma.join([Prisma.sql`key = c.key`, ...ended], ' AND ')}`,
        ]
      : []),
  ];
  if (tables.length === 0) return NONE;
  return Prisma.sql`
    SELECT c.key, c.created_at FROM (${label}) AS c, LATERAL (${Prisma.join(tables, ' UNION ALL ')}) AS j
    WHERE ${Prisma.join([...conditionsOf(filter), ...createdIn(filter, Prisma.sql`c.created_at`)], ' AND ')}`;
}

/** A failed job is always in the second table. */
function ofStatuses(orgId: OrgId, filter: BulkFilter): Prisma.Sql {
  const { statuses, types, errorCode } = filter;
  const conditions = [
    Prisma.sql`org_id = ${orgId}::uuid`,
    ...(statuses.length === 0 ? [] : [Prisma.sql`status = ANY (${statuses}::job_status[])`]),
    ...(types ? [isOneOf(Prisma.sql`type`, types)] : []),
    ...createdIn(filter, Prisma.sql`created_at`),
  ];
  const live = Prisma.sql`SELECT key, created_at FROM live_jobs WHERE ${Prisma.join(conditions, ' AND ')}`;
  const withCode = errorCode === undefined ? [] : [Prisma.sql`status = 'failed' AND error_code = ${errorCode}`];
  const ended = endedIn(filter);
  const finished = Prisma.sql`
    SELECT key, created_at FROM finished_jobs WHERE ${Prisma.join([...conditions, ...withCode, ...ended], ' AND ')}`;
  return errorCode === undefined && ended.length === 0 ? Prisma.sql`${live} UNION ALL ${finished}` : finished;
}

/** SQL: conditions on rows of finished_jobs. */
function endedIn({ endedAfter, endedBefore, message }: BulkFilter): Prisma.Sql[] {
  // The comparison of the beginning, up to the first placeholder, spares most other messages the folding.
  const [beginning = ''] = message?.split('<') ?? [];
  return [
    ...(endedAfter === undefined ? [] : [Prisma.sql`finished_at >= ${endedAfter.toISOString()}::timestamptz`]),
    ...(endedBefore === undefined ? [] : [Prisma.sql`finished_at < ${endedBefore.toISOString()}::timestamptz`]),
    ...(message === undefined
      ? []
      : [
          Prisma.sql`status = 'failed' AND starts_with(coalesce(error_message, ''), ${beginning})
            AND folded_message(error_message) = ${message}`,
        ]),
  ];
}

function createdIn({ createdAfter, createdBefore }: BulkFilter, column: Prisma.Sql): Prisma.Sql[] {
  return [
    ...(createdAfter === undefined ? [] : [Prisma.sql`${column} >= ${createdAfter.toISOString()}::timestamptz`]),
    ...(createdBefore === undefined ? [] : [Prisma.sql`${column} < ${createdBefore.toISOString()}::timestamptz`]),
  ];
}
