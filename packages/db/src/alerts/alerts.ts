import { ALERT_LIMITS, type AlertKind, type OrgId } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import { Prisma } from '../generated/client.js';
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

/** As many emails of one alert may wait to be sent. */
const MAX_RECIPIENTS = 20;

/** An alert, and the addresses to inform: owners, then admins, at most MAX_RECIPIENTS. */
export interface AlertToMail {
  id: string;
  kind: AlertKind;
  threshold: number;
  value: number;
  orgName: string;
  recipients: string[];
}

/** Takes alerts whose emails must be sent: at most `limit`. Each is returned once. */
export function takeAlertsToMail(db: DbSession, limit: number): Promise<AlertToMail[]> {
  return db.$queryRaw<AlertToMail[]>`
    WITH due AS (
      SELECT id FROM alerts WHERE is_mail_due ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE alerts a SET is_mail_due = false FROM due, organizations o WHERE a.id = due.id AND o.id = a.org_id
    RETURNING a.id, a.kind::text AS kind, a.threshold, a.value, o.name AS "orgName", ARRAY(
      SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.org_id = a.org_id AND m.role IN ('owner', 'admin')
      ORDER BY m.role, u.email LIMIT ${MAX_RECIPIENTS}) AS recipients`;
}
