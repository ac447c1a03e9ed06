import { ALERT_LIMITS, type AlertKind, type OrgId } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import { type Notice, nextNotices, recipientsOf } from '../accounts/notices.js';
import { type Alert, Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { FIRST_ID } from '../postgres/page.js';

/** An organization whose jobs must be checked. */
export interface AlertedOrg {
  orgId: OrgId;
  /** Null: the organization has not chosen this kind of alert. */
  thresholds: Record<AlertKind, number | null>;
  /** The kinds of its unresolved alerts. */
  unresolved: AlertKind[];
  /** The failure rate counts as 0 while fewer jobs have finished. */
  minJobs: number;
  /** Only jobs of these types count; empty: of all types. */
  types: string[];
}

/** SQL: whether the settings `s` have chosen to be notified. */
const IS_NOTIFIED = Prisma.sql`(s.alerts_by_email OR s.alerts_by_webhook OR (s.alert_options -> 'chat') IS NOT NULL)`;

/** SQL: the threshold of each kind of the settings `s`. */
const THRESHOLDS = Prisma.sql`json_build_object(
  'failure_rate', CASE WHEN ${IS_NOTIFIED} THEN s.failure_rate_percent END,
  'oldest_waiting', CASE WHEN ${IS_NOTIFIED} THEN s.oldest_waiting_seconds END)`;

/** The next organizations, in the order of their ids, that have chosen alerts or have unresolved ones. */
export function listAlertedOrgs(db: DbSession, after: OrgId | null, limit: number): Promise<AlertedOrg[]> {
  const start = after ?? FIRST_ID;
  const withThreshold = Prisma.sql`(failure_rate_percent IS NOT NULL OR oldest_waiting_seconds IS NOT NULL)
         AND org_id > ${start}::uuid
       ORDER BY org_id LIMIT ${limit}`;
  return db.$queryRaw<AlertedOrg[]>`
    SELECT org_id AS "orgId", ${THRESHOLDS} AS thresholds,
      ARRAY(SELECT kind::text FROM alerts a WHERE a.org_id = s.org_id AND a.resolved_at IS NULL) AS unresolved,
      coalesce((s.alert_options ->> 'min_jobs')::int, ${ALERT_LIMITS.minJobs}::int) AS "minJobs",
      ARRAY(SELECT jsonb_array_elements_text(s.alert_options -> 'types')) AS types
    FROM (
      (SELECT org_id FROM organization_settings WHERE (alerts_by_email OR alerts_by_webhook) AND ${withThreshold})
      UNION
      (SELECT org_id FROM organization_settings WHERE (alert_options -> 'chat') IS NOT NULL AND ${withThreshold})
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

/** Where an alert must be posted. */
export interface AlertPost {
  channel: string;
  orgName: string;
}

/**
 * Raises an alert in a transaction, with its event, and its email that is due. Does nothing if the organization has changed the
 * threshold, or has an unresolved alert of the kind. One that is raised within an hour of another one that was sent is silent: it is
 * only listed. Returns where it must be posted; null: nowhere.
 */
export async function raiseAlert(
  tx: DbSession,
  { orgId, kind, value }: Measured,
  threshold: number,
): Promise<AlertPost | null> {
  await lockSettings(tx, orgId);
  const [post] = await tx.$queryRaw<AlertPost[]>`
    WITH raised AS (
      INSERT INTO alerts (id, org_id, kind, threshold, value, raised_at, is_mail_due, is_silent)
      SELECT ${newId()}::uuid, s.org_id, ${kind}::alert_kind, ${threshold}::int, ${value}::float8,
        date_trunc('milliseconds', clock_timestamp()), s.alerts_by_email AND NOT p.is_silent, p.is_silent
      FROM organization_settings s, LATERAL (
        SELECT EXISTS (
          SELECT 1 FROM alerts a WHERE a.org_id = s.org_id AND a.kind = ${kind}::alert_kind AND NOT a.is_silent
            AND a.raised_at > now() - ${ALERT_LIMITS.pauseMinutes}::int * interval '1 minute') AS is_silent) AS p
      WHERE s.org_id = ${orgId}::uuid AND (${THRESHOLDS}->>${kind})::int = ${threshold}::int
      ON CONFLICT (org_id, kind) WHERE resolved_at IS NULL DO NOTHING
      RETURNING *),
    event AS (${insertEvent('alert.raised', value, Prisma.sql`raised`, Prisma.sql`raised_at`)})
    SELECT s.alert_options -> 'chat' ->> 'channel' AS channel, o.name AS "orgName"
    FROM raised r JOIN organization_settings s USING (org_id) JOIN organizations o ON o.id = r.org_id
    WHERE NOT r.is_silent AND (s.alert_options -> 'chat') IS NOT NULL`;
  return post ?? null;
}

/** Resolves the alert of this kind, with its event unless it is silent. Does nothing if there is none. */
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
    WHERE s.alerts_by_webhook AND NOT a.is_silent AND has_webhook_for(a.org_id, ${type})`;
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

export type AlertRow = Pick<Alert, 'id' | 'kind' | 'threshold' | 'value' | 'raisedAt' | 'resolvedAt'>;

/** The latest alerts of an organization, at most ALERT_LIMITS.listed: the unresolved ones first, then the others, newest first. */
export function listAlerts(db: DbSession, orgId: OrgId): Promise<AlertRow[]> {
  const { listed } = ALERT_LIMITS;
  return db.$queryRaw<AlertRow[]>`
    SELECT a.* FROM unnest(enum_range(NULL::alert_kind)) AS k(kind), LATERAL (
      SELECT id, kind::text AS kind, threshold, value, raised_at AS "raisedAt", resolved_at AS "resolvedAt" FROM alerts
      WHERE org_id = ${orgId}::uuid AND alerts.kind = k.kind ORDER BY raised_at DESC LIMIT ${listed}) AS a
    ORDER BY a."resolvedAt" IS NOT NULL, a."raisedAt" DESC, a.id DESC LIMIT ${listed}`;
}
