import type { JobKey, OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

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
  createdAt: Date;
}

/** Whether there are events without deliveries, or requested attempts without jobs. */
export async function hasUnplanned(db: DbSession): Promise<boolean> {
  const [row] = await db.$queryRaw<{ found: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM webhook_events WHERE NOT is_planned)
      OR EXISTS (SELECT 1 FROM webhook_deliveries WHERE is_repeat_due) AS found`;
  return row?.found ?? false;
}

/** Locks the oldest events without deliveries that no other process works on: at most `limit`. */
export function lockUnplannedEvents(tx: DbSession, limit: number): Promise<UnplannedEvent[]> {
  return tx.$queryRaw<UnplannedEvent[]>`
    SELECT id, org_id AS "orgId", type, webhook_id AS "webhookId", job_key AS "jobKey", callback_url AS "callbackUrl",
      created_at AS "createdAt"
    FROM webhook_events WHERE NOT is_planned ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
}

/** A webhook that gets events. */
export interface Subscriber {
  id: string;
  orgId: OrgId;
  events: string[];
  createdAt: Date;
}

/** The enabled webhooks of these organizations. */
export function listSubscribers(tx: DbSession, orgIds: readonly OrgId[]): Promise<Subscriber[]> {
  return tx.$queryRaw<Subscriber[]>`
    SELECT id, org_id AS "orgId", events, created_at AS "createdAt" FROM webhooks
    WHERE org_id = ANY (${orgIds}::uuid[]) AND enabled`;
}

/** The limit that bounds how many deliveries to one receiver are under way. */
const LIMIT_NAME = 'receiver';

/**
 * The organizations to which the deliveries of these organizations belong. Creates those that are missing, each with the limit
 * of deliveries to one receiver.
 */
export async function ensureDeliveryOrgs(
  tx: DbSession,
  orgIds: readonly OrgId[],
  { type, concurrency }: { type: string; concurrency: number },
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
    SELECT id, ${LIMIT_NAME}, ${[type]}::text[], ${concurrency}::int, 'key', false, false
    FROM organizations WHERE delivers_for = ANY (${missing}::uuid[])
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
}

/** Stores deliveries that are due now. */
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
    SELECT d.id, d.org_id, d.event_id, d.webhook_id, d.job_key, d.callback_url, 'pending', ${attempts}::int, t.now, t.now
    FROM date_trunc('milliseconds', clock_timestamp()) AS t(now), unnest(${deliveries.map(({ id }) => id)}::uuid[],
        ${deliveries.map(({ event }) => event.orgId)}::uuid[], ${deliveries.map(({ event }) => event.id)}::uuid[],
        ${deliveries.map(({ webhookId }) => webhookId)}::uuid[], ${ofCallback(({ event }) => event.jobKey)}::uuid[],
        ${ofCallback(({ event }) => event.callbackUrl)}::text[])
      AS d(id, org_id, event_id, webhook_id, job_key, callback_url)`;
}

/** A delivery whose requested attempt has no job yet. `attempts`: how many it had before. */
export interface RepeatedDelivery {
  id: string;
  orgId: OrgId;
  webhookId: string;
  attempts: number;
}

/** Takes deliveries for which an attempt was requested: at most `limit`. */
export function takeRepeats(tx: DbSession, limit: number): Promise<RepeatedDelivery[]> {
  return tx.$queryRaw<RepeatedDelivery[]>`
    WITH due AS (
      SELECT id FROM webhook_deliveries WHERE is_repeat_due ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE webhook_deliveries d SET is_repeat_due = false FROM due WHERE d.id = due.id
    RETURNING d.id, d.org_id AS "orgId", d.webhook_id AS "webhookId", d.attempts`;
}

export async function markPlanned(tx: DbSession, events: readonly UnplannedEvent[]): Promise<void> {
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
