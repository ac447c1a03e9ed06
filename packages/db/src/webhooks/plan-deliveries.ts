import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import { FIRST_ID } from '../postgres/page.js';

/** Statements that give each event its deliveries, for all organizations. */

/** An event whose deliveries are not stored yet. */
export interface UnplannedEvent {
  id: string;
  orgId: OrgId;
  type: string;
  /** The only webhook that gets it; null: all that have chosen it. */
  webhookId: string | null;
  jobKey: JobKey | null;
  callbackUrl: string | null;
  /** Whether only the callback URL gets it. */
  isQuiet: boolean;
  createdAt: Date;
}

/** The next organizations, in the order of their ids, that have events without deliveries, or requested attempts without jobs. */
export async function listUnplannedOrgs(hot: HotDb, after: OrgId | null, limit: number): Promise<OrgId[]> {
  const start = after ?? FIRST_ID;
  const rows = await hot.query<{ orgId: OrgId }>`
    WITH RECURSIVE e(org_id, n) AS (
      (SELECT org_id, 1 FROM webhook_events WHERE NOT is_planned AND org_id > ${start}::uuid ORDER BY org_id LIMIT 1)
      UNION ALL
      (SELECT x.org_id, e.n + 1 FROM e, LATERAL (
        SELECT org_id FROM webhook_events WHERE NOT is_planned AND org_id > e.org_id ORDER BY org_id LIMIT 1) AS x
       WHERE e.n < ${limit}::int)),
    d(org_id, n) AS (
      (SELECT org_id, 1 FROM webhook_deliveries WHERE is_repeat_due AND org_id > ${start}::uuid ORDER BY org_id LIMIT 1)
      UNION ALL
      (SELECT x.org_id, d.n + 1 FROM d, LATERAL (
        SELECT org_id FROM webhook_deliveries WHERE is_repeat_due AND org_id > d.org_id ORDER BY org_id LIMIT 1) AS x
       WHERE d.n < ${limit}::int))
    SELECT org_id AS "orgId" FROM (SELECT org_id FROM e UNION SELECT org_id FROM d) AS o ORDER BY org_id LIMIT ${limit}`;
  return rows.map(({ orgId }) => orgId);
}

/**
 * Locks the oldest events without deliveries that no other process works on: of each organization one of jobs and one of others, or
 * so many of each that all of its webhooks together get `limit` deliveries of them.
 */
export function lockUnplannedEvents(tx: DbSession, orgIds: readonly OrgId[], limit: number): Promise<UnplannedEvent[]> {
  const oldest = (ofClass: Prisma.Sql) => Prisma.sql`
    SELECT e.* FROM unnest(${orgIds}::uuid[]) AS o(org_id), LATERAL (
      SELECT id, org_id AS "orgId", type, webhook_id AS "webhookId", job_key AS "jobKey", callback_url AS "callbackUrl",
        is_quiet AS "isQuiet", created_at AS "createdAt"
      FROM webhook_events WHERE org_id = o.org_id AND NOT is_planned AND ${ofClass}
      ORDER BY org_id, created_at
      LIMIT greatest(1, ${limit}::int / greatest(1, (SELECT count(*)::int FROM webhooks w WHERE w.org_id = o.org_id)))
      FOR UPDATE SKIP LOCKED) AS e`;
  return tx.$queryRaw<UnplannedEvent[]>`
    ${oldest(Prisma.sql`type NOT LIKE 'job.%'`)} UNION ALL ${oldest(Prisma.sql`type LIKE 'job.%'`)}`;
}

/** A webhook that gets events. */
export interface Subscriber {
  id: string;
  orgId: OrgId;
  events: string[];
  createdAt: Date;
  /** Null: it is enabled. */
  disabledAt: Date | null;
}

/**
 * The webhooks of these organizations, which cannot be deleted before the end of this transaction. `isLocked`: another
 * transaction deletes the webhook now, and may still be rolled back.
 */
export function listSubscribers(
  tx: DbSession,
  orgIds: readonly OrgId[],
): Promise<(Subscriber & { isLocked: boolean })[]> {
  return tx.$queryRaw<(Subscriber & { isLocked: boolean })[]>`
    WITH free AS MATERIALIZED (SELECT id FROM webhooks WHERE org_id = ANY (${orgIds}::uuid[]) FOR KEY SHARE SKIP LOCKED)
    SELECT w.id, w.org_id AS "orgId", w.events, w.created_at AS "createdAt", w.disabled_at AS "disabledAt",
      f.id IS NULL AS "isLocked"
    FROM webhooks w LEFT JOIN free f ON f.id = w.id WHERE w.org_id = ANY (${orgIds}::uuid[])`;
}

/**
 * The organizations to which the deliveries of these organizations belong. Creates those that are missing, each with a limit of
 * deliveries to one receiver and one of all deliveries.
 */
export async function ensureDeliveryOrgs(
  tx: DbSession,
  orgIds: readonly OrgId[],
  { type, ofReceiver, ofAll }: { type: string; ofReceiver: number; ofAll: number },
): Promise<ReadonlyMap<OrgId, OrgId>> {
  const find = () => tx.$queryRaw<{ id: OrgId; orgId: OrgId }[]>`
    SELECT id, delivers_for AS "orgId" FROM organizations WHERE delivers_for = ANY (${orgIds}::uuid[])`;
  const found = await find();
  const known = new Set(found.map(({ orgId }) => orgId));
  const missing = orgIds.filter((id) => !known.has(id)).sort();
  if (missing.length === 0) return byReceiver(found);
  await tx.$executeRaw`
    INSERT INTO organizations (id, name, delivers_for)
    SELECT gen_random_uuid(), 'deliveries', o.id FROM organizations o WHERE o.id = ANY (${missing}::uuid[])
    ORDER BY o.id ON CONFLICT (delivers_for) DO NOTHING`;
  await tx.$executeRaw`
    INSERT INTO limits (org_id, name, types, concurrency, per, ordered, paused)
    SELECT o.id, n.name, ${[type]}::text[], n.concurrency, n.per::limit_scope, false, false
    FROM organizations o, (VALUES ('receiver', ${ofReceiver}::int, 'key'), ('all', ${ofAll}::int, 'organization'))
      AS n(name, concurrency, per)
    WHERE o.delivers_for = ANY (${missing}::uuid[])
    ON CONFLICT DO NOTHING`;
  return byReceiver(await find());
}

function byReceiver(rows: readonly { id: OrgId; orgId: OrgId }[]): ReadonlyMap<OrgId, OrgId> {
  return new Map(rows.map(({ id, orgId }) => [orgId, id]));
}

/** A delivery before its first attempt. */
export interface NewDelivery {
  id: string;
  event: UnplannedEvent;
  /** Null: it goes to the callback URL of the event. */
  webhookId: string | null;
  /** Whether its webhook was disabled since the event: the delivery has failed, and can be recovered. */
  isFailed: boolean;
}

/** Stores deliveries that are due now, or have failed. */
export async function insertDeliveries(
  tx: DbSession,
  deliveries: readonly NewDelivery[],
  attempts: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  const ofCallback = <T>(pick: (delivery: NewDelivery) => T) =>
    deliveries.map((delivery) => (delivery.webhookId === null ? pick(delivery) : null));
  await tx.$executeRaw`
    INSERT INTO webhook_deliveries (id, org_id, event_id, webhook_id, job_key, callback_url, status, attempts_left,
      next_attempt_at, created_at)
    SELECT d.id, d.org_id, d.event_id, d.webhook_id, d.job_key, d.callback_url,
      (CASE WHEN d.is_failed THEN 'failed' ELSE 'pending' END)::delivery_status, CASE WHEN d.is_failed THEN 0 ELSE ${attempts}::int END,
      CASE WHEN NOT d.is_failed THEN t.now END, t.now
    FROM date_trunc('milliseconds', clock_timestamp()) AS t(now), unnest(${deliveries.map(({ id }) => id)}::uuid[],
        ${deliveries.map(({ event }) => event.orgId)}::uuid[], ${deliveries.map(({ event }) => event.id)}::uuid[],
        ${deliveries.map(({ webhookId }) => webhookId)}::uuid[], ${ofCallback(({ event }) => event.jobKey)}::uuid[],
        ${ofCallback(({ event }) => event.callbackUrl)}::text[],
        ${deliveries.map(({ isFailed }) => isFailed)}::bool[])
      AS d(id, org_id, event_id, webhook_id, job_key, callback_url, is_failed)`;
}

/** A delivery whose requested attempt has no job yet. */
export interface RepeatedDelivery {
  id: string;
  /** The type of its event. */
  type: string;
  orgId: OrgId;
  webhookId: string;
}

/** Takes deliveries for which an attempt was requested: at most `limit` of each organization. */
export function takeRepeats(tx: DbSession, orgIds: readonly OrgId[], limit: number): Promise<RepeatedDelivery[]> {
  return tx.$queryRaw<RepeatedDelivery[]>`
    WITH due AS MATERIALIZED (
      SELECT d.id FROM unnest(${orgIds}::uuid[]) AS o(org_id), LATERAL (
        SELECT id FROM webhook_deliveries WHERE org_id = o.org_id AND is_repeat_due
        ORDER BY org_id, created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS d)
    UPDATE webhook_deliveries d SET is_repeat_due = false FROM due WHERE d.id = due.id
    RETURNING d.id, d.org_id AS "orgId", d.webhook_id AS "webhookId",
      (SELECT e.type FROM webhook_events e WHERE e.id = d.event_id) AS type`;
}

export async function markPlanned(tx: DbSession, events: readonly UnplannedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.$executeRaw`
    UPDATE webhook_events SET is_planned = true WHERE id = ANY (${events.map(({ id }) => id)}::uuid[])`;
}

/** Deletes events with their deliveries that are older than `days`: at most `limit`. Returns how many. */
export function deleteOldEvents(db: DbSession, { days, limit }: { days: number; limit: number }): Promise<number> {
  return db.$executeRaw`
    DELETE FROM webhook_events WHERE id IN (
      SELECT id FROM webhook_events WHERE created_at < now() - ${days}::int * interval '1 day' AND is_planned
      ORDER BY created_at LIMIT ${limit})`;
}
