import { ALERT_LIMITS, type AlertKind, LIMITS, type OrgId } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import { type Notice, nextNotices, recipientsOf } from '../accounts/notices.js';
import { Prisma } from '../generated/client.js';
import { LANE_OF_JOB } from '../jobs/transitions/held.js';
import { WAITING_QUEUES } from '../jobs/waiting-queues.js';
import type { Db, DbSession } from '../postgres/client.js';
import { FIRST_ID } from '../postgres/page.js';

/** An organization whose jobs must be checked. */
export interface AlertedOrg {
  orgId: OrgId;
  /** Null: the organization has not chosen this kind of alert. */
  thresholds: Record<AlertKind, number | null>;
  /** The kinds of its unresolved alerts. */
  unresolved: AlertKind[];
}

/** SQL: the threshold of each kind of the settings `s`. */
const THRESHOLDS = Prisma.sql`json_build_object(
  'failure_rate', CASE WHEN s.alerts_by_email OR s.alerts_by_webhook THEN s.failure_rate_percent END,
  'oldest_waiting', CASE WHEN s.alerts_by_email OR s.alerts_by_webhook THEN s.oldest_waiting_seconds END)`;

/** The next organizations, in the order of their ids, that have chosen alerts or have unresolved ones. */
export function listAlertedOrgs(db: DbSession, after: OrgId | null, limit: number): Promise<AlertedOrg[]> {
  const start = after ?? FIRST_ID;
  return db.$queryRaw<AlertedOrg[]>`
    SELECT org_id AS "orgId", ${THRESHOLDS} AS thresholds,
      ARRAY(SELECT kind::text FROM alerts a WHERE a.org_id = s.org_id AND a.resolved_at IS NULL) AS unresolved
    FROM (
      (SELECT org_id FROM organization_settings
       WHERE (alerts_by_email OR alerts_by_webhook) AND (failure_rate_percent IS NOT NULL OR oldest_waiting_seconds IS NOT NULL)
         AND org_id > ${start}::uuid
       ORDER BY org_id LIMIT ${limit})
      UNION
      (SELECT DISTINCT org_id FROM alerts WHERE resolved_at IS NULL AND org_id > ${start}::uuid ORDER BY org_id LIMIT ${limit})) AS o
    JOIN organization_settings s USING (org_id) ORDER BY org_id LIMIT ${limit}`;
}

/** What was measured of an organization. */
export interface Measured {
  orgId: OrgId;
  kind: AlertKind;
  /** A percentage, or seconds. */
  value: number;
}

/**
 * Raises an alert, with its event, and its email that is due. Does nothing if the organization has changed the threshold, has an
 * unresolved alert of the kind, or had one raised in the last hour.
 */
export async function raiseAlert(db: Db, { orgId, kind, value }: Measured, threshold: number): Promise<void> {
  await db.$transaction(async (tx) => {
    await lockSettings(tx, orgId);
    await tx.$executeRaw`
      WITH raised AS (
        INSERT INTO alerts (id, org_id, kind, threshold, value, raised_at, is_mail_due)
        SELECT ${newId()}::uuid, s.org_id, ${kind}::alert_kind, ${threshold}::int, ${value}::float8,
          date_trunc('milliseconds', clock_timestamp()), s.alerts_by_email
        FROM organization_settings s
        WHERE s.org_id = ${orgId}::uuid AND (${THRESHOLDS}->>${kind})::int = ${threshold}::int
          AND NOT EXISTS (
            SELECT 1 FROM alerts a WHERE a.org_id = s.org_id AND a.kind = ${kind}::alert_kind
              AND a.raised_at > now() - ${ALERT_LIMITS.pauseMinutes}::int * interval '1 minute')
        ON CONFLICT (org_id, kind) WHERE resolved_at IS NULL DO NOTHING
        RETURNING *)
      ${insertEvent('alert.raised', value, Prisma.sql`raised`, Prisma.sql`raised_at`)}`;
  });
}

/** Resolves the alert of this kind, with its event. Does nothing if there is none. */
export async function resolveAlert(db: Db, { orgId, kind, value }: Measured): Promise<void> {
  await db.$transaction(async (tx) => {
    await lockSettings(tx, orgId);
    await tx.$executeRaw`
      WITH resolved AS (
        UPDATE alerts SET resolved_at = date_trunc('milliseconds', clock_timestamp())
        WHERE org_id = ${orgId}::uuid AND kind = ${kind}::alert_kind AND resolved_at IS NULL
        RETURNING *)
      ${insertEvent('alert.resolved', value, Prisma.sql`resolved`, Prisma.sql`resolved_at`)}`;
  });
}

/** Makes changes of the alerts and of the settings of one organization run one after the other. */
async function lockSettings(tx: DbSession, orgId: OrgId): Promise<void> {
  await tx.$executeRaw`SELECT FROM organization_settings WHERE org_id = ${orgId}::uuid FOR NO KEY UPDATE`;
}

/** SQL: writes the event of these alerts, if the organization wants it. */
function insertEvent(type: string, value: number, alerts: Prisma.Sql, at: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO webhook_events (org_id, type, data, created_at)
    SELECT a.org_id, ${type}, json_build_object('id', a.id, 'kind', a.kind, 'threshold', a.threshold, 'value', ${value}::float8,
      'since', api_time(a.raised_at)), a.${at}
    FROM ${alerts} a JOIN organization_settings s USING (org_id)
    WHERE s.alerts_by_webhook AND has_webhook_for(a.org_id, ${type})`;
}

/** An alert of which owners and admins must be informed. */
export interface AlertToMail extends Notice {
  kind: AlertKind;
  threshold: number;
  value: number;
}

/** Takes alerts whose emails must be sent, one of each organization after `after`: at most `limit`. Each is returned once. */
export function takeAlertsToMail(db: DbSession, after: OrgId, limit: number): Promise<AlertToMail[]> {
  return db.$queryRaw<AlertToMail[]>`
    WITH due AS (
      SELECT id FROM alerts WHERE is_mail_due AND id IN (${nextNotices('alerts', after, limit)}) FOR UPDATE SKIP LOCKED)
    UPDATE alerts a SET is_mail_due = false FROM due WHERE a.id = due.id
    RETURNING a.id, a.org_id AS "orgId", a.kind::text AS kind, a.threshold, a.value,
      ${recipientsOf(Prisma.sql`a.org_id`, ['owner', 'admin'])} AS recipients`;
}

/** What alerts are decided by. No statement reads all jobs of an organization. Indexes give the first job of each priority. */

/** The jobs of an organization that finished in the last ALERT_LIMITS.windowMinutes. */
export interface FinishedCounts {
  finished: number;
  failed: number;
}

/** The cost is that of the counted jobs: about half a second for a million. */
export async function countFinished(db: DbSession, orgId: OrgId): Promise<FinishedCounts> {
  const [row] = await db.$queryRaw<[FinishedCounts]>`
    SELECT count(*)::float8 AS finished, (count(*) FILTER (WHERE status = 'failed'))::float8 AS failed FROM finished_jobs
    WHERE org_id = ${orgId}::uuid AND finished_at > now() - ${ALERT_LIMITS.windowMinutes}::int * interval '1 minute'`;
  return row;
}

/** Lanes of held jobs that are searched: those whose first jobs have been due longest. The rows of all its lanes are read for that. */
const MAX_LANES = 100;

/**
 * How long the due job of an organization that waits longest has been due, in ms; 0: none is due.
 * Without jobs in Redis, which readEnqueuedMs finds for all organizations.
 */
export async function readWaitingMs(db: DbSession, orgId: OrgId): Promise<number> {
  const [row] = await db.$queryRaw<[{ ms: number }]>`
    WITH ${WAITING_QUEUES}
    SELECT coalesce(extract(epoch FROM now() - min(run_at)) * 1000, 0)::float8 AS ms FROM (
      SELECT w.run_at FROM waiting_queues q, generate_series(0, ${LIMITS.maxPriority}::int) AS p(priority), LATERAL (
        SELECT run_at FROM live_jobs
        WHERE status = 'pending' AND place = 'waiting' AND live_jobs.queue = q.queue AND org_id = ${orgId}::uuid
          AND live_jobs.priority = p.priority AND run_at <= now()
        ORDER BY run_at LIMIT 1) AS w
      UNION ALL
      -- Those that have just become due, or all of them if no worker runs.
      (SELECT run_at FROM live_jobs
       WHERE status = 'pending' AND place = 'scheduled' AND org_id = ${orgId}::uuid AND run_at <= now()
       ORDER BY org_id, run_at LIMIT 1)
      UNION ALL
      SELECT h.run_at FROM (
        SELECT lane FROM limit_lanes WHERE org_id = ${orgId}::uuid ORDER BY head_at LIMIT ${MAX_LANES}) AS l,
        generate_series(0, ${LIMITS.maxPriority}::int) AS p(priority), LATERAL (
        SELECT j.run_at FROM live_jobs j
        -- The condition on retries selects the index.
        WHERE ${LANE_OF_JOB} = l.lane AND j.status = 'pending' AND j.place = 'held' AND j.retries >= 0
          AND j.priority = p.priority AND j.run_at <= now()
        ORDER BY j.run_at LIMIT 1) AS h) AS due`;
  return row.ms;
}

/** More jobs than are in Redis usually. */
const MAX_ENQUEUED = 50_000;

/** How long the job in Redis of each of these organizations that waits longest has been due, in ms. */
export async function readEnqueuedMs(db: DbSession, orgIds: readonly OrgId[]): Promise<ReadonlyMap<OrgId, number>> {
  if (orgIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ orgId: OrgId; ms: number }[]>`
    SELECT org_id AS "orgId", (extract(epoch FROM now() - min(run_at)) * 1000)::float8 AS ms FROM (
      SELECT org_id, run_at FROM live_jobs
      WHERE status = 'pending' AND place = 'enqueued' AND run_at <= now() AND key > '00000000-0000-0000-0000-000000000000'
      ORDER BY key LIMIT ${MAX_ENQUEUED}) AS e
    WHERE org_id = ANY (${orgIds}::uuid[]) GROUP BY org_id`;
  return new Map(rows.map(({ orgId, ms }) => [orgId, ms]));
}
