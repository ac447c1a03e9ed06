import type { JobStatus, JsonObject, OrgId } from '@jobline/contracts';
import { Prisma, type Schedule } from '../generated/client.js';
import { type JobSpec, specColumns } from '../jobs/columns.js';
import type { ReserveMemory } from '../jobs/redaction.js';
import type { DbSession } from '../postgres/client.js';
import { byCreation, PAGE_BYTES, type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';

/** What a caller sets of a schedule. */
export interface ScheduleSettings
  extends ScheduleSpec,
    Pick<Schedule, 'name' | 'cron' | 'everySeconds' | 'timezone' | 'overlap' | 'missed' | 'enabled'> {
  payload: JsonObject;
}

/** What the jobs of a schedule take over from it. */
type ScheduleSpec = Pick<Schedule, keyof JobSpec>;

/** What follows from the settings and the time of their last change. */
export type ScheduleState = Pick<Schedule, 'anchorAt' | 'nextRunAt'>;

export interface ScheduleRow
  extends ScheduleSettings,
    ScheduleState,
    Pick<Schedule, 'id' | 'lastRunAt' | 'lastJobId' | 'skipped' | 'createdAt'> {
  /** Null: it has no latest job, or that job was deleted. */
  lastStatus: JobStatus | null;
}

/** How many schedules an organization has, and the size of their payloads together. */
export interface ScheduleUse {
  count: number;
  payloadBytes: number;
}

const COLUMNS = Prisma.sql`id, name, cron, every_seconds AS "everySeconds", timezone, anchor_at AS "anchorAt",
  payload::text AS payload, ${specColumns('schedules')}, overlap::text AS overlap, missed::text AS missed, enabled,
  next_run_at AS "nextRunAt", last_run_at AS "lastRunAt", last_job_id AS "lastJobId", skipped, created_at AS "createdAt",
  (SELECT j.status::text FROM jobs j WHERE j.org_id = schedules.org_id AND j.id = schedules.last_job_id) AS "lastStatus"`;

type StoredRow = Omit<ScheduleRow, 'payload' | 'tags'> & { payload: string; tags: string[] | null };

/** Throws a unique violation if the organization has a schedule of that name. */
export async function createSchedule(
  tx: DbSession,
  orgId: OrgId,
  id: string,
  settings: ScheduleSettings,
  { anchorAt, nextRunAt }: ScheduleState,
): Promise<ScheduleRow> {
  const payload = JSON.stringify(settings.payload);
  const [row] = await tx.$queryRaw<StoredRow[]>`
    INSERT INTO schedules (id, org_id, name, cron, every_seconds, timezone, anchor_at, type, payload, payload_bytes, max_retries,
      priority, tags, limit_name, limit_key, callback_url, overlap, missed, enabled, next_run_at, created_at)
    VALUES (${id}::uuid, ${orgId}::uuid, ${settings.name}, ${settings.cron}, ${settings.everySeconds}::int, ${settings.timezone},
      ${anchorAt.toISOString()}::timestamptz, ${settings.type}, ${payload}::json, ${Buffer.byteLength(payload)}::int,
      ${settings.maxRetries}::int, ${settings.priority}::int, ${settings.tags}::text[], ${settings.limitName}, ${settings.limitKey},
      ${settings.callbackUrl}, ${settings.overlap}::schedule_overlap, ${settings.missed}::schedule_missed, ${settings.enabled},
      ${nextRunAt?.toISOString() ?? null}::timestamptz, ${anchorAt.toISOString()}::timestamptz)
    RETURNING ${COLUMNS}`;
  if (!row) throw new Error('a schedule was not stored');
  return toRow(row);
}

/** Changes a schedule. Throws a unique violation if another schedule of the organization has that name. */
export async function updateSchedule(
  tx: DbSession,
  orgId: OrgId,
  id: string,
  settings: ScheduleSettings,
  { anchorAt, nextRunAt }: ScheduleState,
): Promise<ScheduleRow | null> {
  const payload = JSON.stringify(settings.payload);
  const [row] = await tx.$queryRaw<StoredRow[]>`
    UPDATE schedules SET name = ${settings.name}, cron = ${settings.cron}, every_seconds = ${settings.everySeconds}::int,
      timezone = ${settings.timezone}, anchor_at = ${anchorAt.toISOString()}::timestamptz, type = ${settings.type},
      payload = ${payload}::json, payload_bytes = ${Buffer.byteLength(payload)}::int, max_retries = ${settings.maxRetries}::int,
      priority = ${settings.priority}::int, tags = ${settings.tags}::text[], limit_name = ${settings.limitName},
      limit_key = ${settings.limitKey}, callback_url = ${settings.callbackUrl}, overlap = ${settings.overlap}::schedule_overlap,
      missed = ${settings.missed}::schedule_missed, enabled = ${settings.enabled},
      next_run_at = ${nextRunAt?.toISOString() ?? null}::timestamptz
    WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid RETURNING ${COLUMNS}`;
  return row ? toRow(row) : null;
}

export async function findSchedule(db: DbSession, orgId: OrgId, id: string): Promise<ScheduleRow | null> {
  const [row] = await db.$queryRaw<StoredRow[]>`
    SELECT ${COLUMNS} FROM schedules WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid`;
  return row ? toRow(row) : null;
}

/** A schedule that is read once there is memory for its payload, or null. */
export async function findScheduleInTurn(
  db: DbSession,
  orgId: OrgId,
  id: string,
  reserve: ReserveMemory,
): Promise<ScheduleRow | null> {
  const [row] = await db.$queryRaw<{ payloadBytes: number }[]>`
    SELECT payload_bytes AS "payloadBytes" FROM schedules WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid`;
  if (!row) return null;
  await reserve(row.payloadBytes);
  return findSchedule(db, orgId, id);
}

/** The job type of an organization's schedule, or null. */
export async function findScheduleType(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const [row] = await db.$queryRaw<{ type: string }[]>`
    SELECT type FROM schedules WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid`;
  return row?.type ?? null;
}

/** The schedule, which no planner and no other request can change before the end of the transaction, and the time. */
export async function lockSchedule(
  tx: DbSession,
  orgId: OrgId,
  id: string,
): Promise<{ current: ScheduleRow; now: Date } | null> {
  const [row] = await tx.$queryRaw<(StoredRow & { now: Date })[]>`
    SELECT ${COLUMNS}, date_trunc('milliseconds', clock_timestamp()) AS now
    FROM schedules WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid FOR UPDATE`;
  if (!row) return null;
  const { now, ...stored } = row;
  return { current: toRow(stored), now };
}

/**
 * A page of an organization's schedules, newest first. It ends early if its payloads are large, so it may have fewer schedules
 * than `limit` although another page follows. `types`: only schedules of these job types; null: all. `name`: only schedules whose
 * name contains it, in upper or lower case.
 */
export async function listSchedules(
  db: DbSession,
  orgId: OrgId,
  page: PageRequest & { types: readonly string[] | null; name?: string | undefined },
): Promise<Page<ScheduleRow>> {
  const below = upperBound(page.cursor);
  const rows = await db.$queryRaw<(StoredRow & { found: number })[]>`
    WITH page AS MATERIALIZED (
      SELECT id AS page_id, count(*) OVER ()::int AS found,
        sum(payload_bytes) OVER (ORDER BY created_at DESC, id DESC) - payload_bytes AS bytes_before
      FROM (
        SELECT id, created_at, payload_bytes FROM schedules
        WHERE org_id = ${orgId}::uuid AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
          AND (${page.types}::text[] IS NULL OR type = ANY (${page.types}::text[]))
          AND strpos(lower(name), lower(${page.name ?? ''}::text)) > 0
        ORDER BY created_at DESC, id DESC LIMIT ${page.limit + 1}) AS s)
    SELECT ${COLUMNS}, found FROM page JOIN schedules ON id = page_id
    WHERE bytes_before < ${PAGE_BYTES} ORDER BY created_at DESC, id DESC`;
  const read = rows.map(({ found: _, ...row }) => toRow(row));
  return toPage(read, page.limit, byCreation, rows[0]?.found);
}

/** What an organization's schedules use, except the one with this id. */
export async function measureSchedules(db: DbSession, orgId: OrgId, exceptId: string | null): Promise<ScheduleUse> {
  const [row] = await db.$queryRaw<[ScheduleUse]>`
    SELECT count(*)::int AS count, coalesce(sum(payload_bytes), 0)::float8 AS "payloadBytes"
    FROM schedules WHERE org_id = ${orgId}::uuid AND id IS DISTINCT FROM ${exceptId}::uuid`;
  return row;
}

/** Stores that a schedule was run by hand. */
export async function recordScheduleRun(db: DbSession, orgId: OrgId, id: string, jobId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE schedules SET last_run_at = date_trunc('milliseconds', clock_timestamp()), last_job_id = ${jobId}
    WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid`;
}

/** The payload travels as text: the driver's own JSON reader would lose a "__proto__" key. */
function toRow(row: StoredRow): ScheduleRow {
  // The cast: only objects are ever stored as payloads.
  return { ...row, tags: row.tags ?? [], payload: JSON.parse(row.payload) as JsonObject };
}
