import type { OrgId } from '@jobline/contracts';
import type { Schedule } from '../generated/client.js';
import { type JobSpec, specColumns } from '../jobs/columns.js';
import type { DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';

/** Statements of the planner, which works for all organizations. */

/** A schedule that has a next time, without its payload. */
export interface ScheduleHead extends Pick<Schedule, 'id' | 'type' | 'payloadBytes'> {
  nextRunAt: Date;
}

/** A schedule that is due, with what its jobs are made of. */
export interface DueSchedule
  extends JobSpec,
    Pick<Schedule, 'id' | 'cron' | 'everySeconds' | 'timezone' | 'anchorAt' | 'payloadBytes' | 'overlap' | 'missed'> {
  orgId: OrgId;
  /** JSON text. */
  payload: string;
  nextRunAt: Date;
  /** Whether its organization stores too many bytes. */
  isFull: boolean;
  /** The database's clock. */
  now: Date;
}

/** What the planner has done for a schedule. */
export interface PlannedSchedule {
  id: string;
  nextRunAt: Date | null;
  /** The latest time that was made; null: none. */
  last: { at: Date; jobId: string } | null;
  /** How many times made no job, because an earlier one has not finished or the organization stores too many bytes. */
  skipped: number;
  /** Earlier jobs must be canceled; null: the row keeps its value. */
  cancelBefore: Date | null;
}

/**
 * The schedules whose next times come first, at most `limit`, the database's clock, and whether earlier jobs of any schedule must
 * be canceled. `except`: ids that are left out.
 */
export async function listNextSchedules(
  hot: HotDb,
  { limit, except }: { limit: number; except: readonly string[] },
): Promise<{ now: Date; heads: ScheduleHead[]; isCanceling: boolean }> {
  const rows = await hot.query<
    { now: Date; isCanceling: boolean } & { [K in keyof ScheduleHead]: ScheduleHead[K] | null }
  >`
    SELECT t.now, EXISTS (SELECT 1 FROM schedules WHERE cancel_before IS NOT NULL) AS "isCanceling", s.id, s.type, s.payload_bytes AS "payloadBytes", s.next_run_at AS "nextRunAt"
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) AS t LEFT JOIN LATERAL (
      SELECT id, type, payload_bytes, next_run_at FROM schedules
      WHERE next_run_at IS NOT NULL AND id <> ALL (${except}::uuid[]) ORDER BY next_run_at LIMIT ${limit}) AS s ON true`;
  const [first] = rows;
  if (!first) throw new Error('a statement that returns at least one row returned none');
  // The cast: the columns are null together, if no schedule has a next time.
  return {
    now: first.now,
    isCanceling: first.isCanceling,
    heads: rows.filter(({ id }) => id !== null) as ScheduleHead[],
  };
}

/** How long the schedule that is due for the longest time has been due, in ms; 0: none is due. */
export async function readScheduleLag(hot: HotDb): Promise<number> {
  const [row] = await hot.query<{ lagMs: number }>`
    SELECT greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(next_run_at)) * 1000, 0))::float8 AS "lagMs"
    FROM schedules WHERE next_run_at IS NOT NULL`;
  return row?.lagMs ?? 0;
}

/** The next time of a schedule of an organization, if it is due; else null. */
export async function findDueHead(db: DbSession, orgId: OrgId, id: string): Promise<ScheduleHead | null> {
  const [row] = await db.$queryRaw<ScheduleHead[]>`
    SELECT id, type, payload_bytes AS "payloadBytes", next_run_at AS "nextRunAt" FROM schedules
    WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid AND next_run_at <= clock_timestamp()`;
  return row ?? null;
}

/**
 * Locks those of these schedules that are due and that no other transaction has locked. `maxStoredBytes`: how much an organization
 * may store.
 */
export function lockDueSchedules(
  tx: DbSession,
  ids: readonly string[],
  maxStoredBytes: number,
): Promise<DueSchedule[]> {
  return tx.$queryRaw<DueSchedule[]>`
    SELECT s.id, s.org_id AS "orgId", s.cron, s.every_seconds AS "everySeconds", s.timezone, s.anchor_at AS "anchorAt",
      s.payload::text AS payload, s.payload_bytes AS "payloadBytes", ${specColumns('s')}, s.overlap::text AS overlap,
      s.missed::text AS missed, s.next_run_at AS "nextRunAt",
      (SELECT o.stored_bytes > ${maxStoredBytes}::bigint FROM organizations o WHERE o.id = s.org_id) AS "isFull",
      date_trunc('milliseconds', clock_timestamp()) AS now
    FROM schedules s WHERE s.id = ANY (${ids}::uuid[]) AND s.next_run_at <= clock_timestamp()
    ORDER BY s.id FOR UPDATE SKIP LOCKED`;
}

/** Those of these schedules of which a planned job has not finished. Call it when they are locked, in a statement of its own. */
export async function findBusySchedules(tx: DbSession, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT s.id FROM unnest(${ids}::uuid[]) AS s(id)
    WHERE EXISTS (SELECT 1 FROM live_jobs j WHERE j.schedule_id = s.id)`;
  return new Set(rows.map(({ id }) => id));
}

/** Moves locked schedules on to their next times. */
export async function moveSchedulesOn(tx: DbSession, planned: readonly PlannedSchedule[]): Promise<void> {
  if (planned.length === 0) return;
  const times = (pick: (one: PlannedSchedule) => Date | null | undefined) =>
    planned.map((one) => pick(one)?.toISOString() ?? null);
  await tx.$executeRaw`
    UPDATE schedules s SET next_run_at = n.next_run_at, last_run_at = coalesce(n.last_run_at, s.last_run_at),
      last_job_id = coalesce(n.last_job_id, s.last_job_id), skipped = s.skipped + n.skipped,
      cancel_before = coalesce(n.cancel_before, s.cancel_before)
    FROM unnest(${planned.map(({ id }) => id)}::uuid[], ${times(({ nextRunAt }) => nextRunAt)}::timestamptz[],
      ${times(({ last }) => last?.at)}::timestamptz[], ${planned.map(({ last }) => last?.jobId ?? null)}::text[],
      ${planned.map(({ skipped }) => skipped)}::int[], ${times(({ cancelBefore }) => cancelBefore)}::timestamptz[])
      AS n(id, next_run_at, last_run_at, last_job_id, skipped, cancel_before)
    WHERE s.id = n.id`;
}

/** A schedule of which earlier jobs must be canceled, and some of these jobs. */
export interface ScheduleToCancel {
  id: string;
  orgId: OrgId;
  cancelBefore: Date;
  jobIds: string[];
}

/** The next page, by id, of schedules of which earlier jobs must be canceled. `after`: the last id of the previous page. */
export function listSchedulesToCancel(
  db: DbSession,
  { after, limit, jobs }: { after: string; limit: number; jobs: number },
): Promise<ScheduleToCancel[]> {
  return db.$queryRaw<ScheduleToCancel[]>`
    SELECT s.id, s.org_id AS "orgId", s.cancel_before AS "cancelBefore", ARRAY(
      SELECT j.id FROM live_jobs j JOIN submitted_jobs b ON b.key = j.key
      WHERE j.schedule_id = s.id AND j.cancel_requested_at IS NULL AND b.planned_at < s.cancel_before LIMIT ${jobs}) AS "jobIds"
    FROM schedules s WHERE s.cancel_before IS NOT NULL AND s.id > ${after}::uuid ORDER BY s.id LIMIT ${limit}`;
}

/** Stores that the earlier jobs of these schedules are canceled, where no more of them are left and no later time was made. */
export async function forgetCanceled(db: DbSession, schedules: readonly ScheduleToCancel[]): Promise<void> {
  await db.$executeRaw`
    UPDATE schedules s SET cancel_before = NULL
    FROM unnest(${schedules.map(({ id }) => id)}::uuid[],
      ${schedules.map(({ cancelBefore }) => cancelBefore.toISOString())}::timestamptz[]) AS n(id, cancel_before)
    WHERE s.id = n.id AND s.cancel_before = n.cancel_before AND NOT EXISTS (
      SELECT 1 FROM live_jobs j JOIN submitted_jobs b ON b.key = j.key
      WHERE j.schedule_id = s.id AND j.cancel_requested_at IS NULL AND b.planned_at < s.cancel_before)`;
}
