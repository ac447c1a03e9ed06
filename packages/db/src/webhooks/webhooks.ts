import type { OrgId } from '@jobline/contracts';
import { type Notice, nextNotices, recipientsOf } from '../accounts/notices.js';
import { Prisma, type Webhook } from '../generated/client.js';
import { readNowMs } from '../limits/limit-rules.js';
import type { DbSession } from '../postgres/client.js';
import {
  inPages,
  OLDEST,
  PAGE_ROWS,
  type Page,
  type PageRequest,
  readPage,
  type TimeCursor,
} from '../postgres/page.js';

/** An address to which an organization has its events sent. */
export type WebhookRow = Pick<
  Webhook,
  'id' | 'url' | 'events' | 'description' | 'enabled' | 'createdAt' | 'failingSince' | 'lastSuccessAt' | 'failures'
>;

export type WebhookSettings = Pick<Webhook, 'url' | 'events' | 'description' | 'enabled'>;

const SELECT = {
  id: true,
  url: true,
  events: true,
  description: true,
  enabled: true,
  createdAt: true,
  failingSince: true,
  lastSuccessAt: true,
  failures: true,
} as const;

export function createWebhook(
  tx: DbSession,
  orgId: OrgId,
  webhook: WebhookSettings & Pick<Webhook, 'id' | 'createdAt'>,
): Promise<WebhookRow> {
  return tx.webhook.create({ data: { ...webhook, orgId }, select: SELECT });
}

export function countWebhooks(tx: DbSession, orgId: OrgId): Promise<number> {
  return tx.webhook.count({ where: { orgId } });
}

/** A page of an organization's webhooks, newest first. */
export function listWebhooks(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<WebhookRow>> {
  const select = Prisma.sql`
    SELECT id, url, coalesce(events, '{}') AS events, description, enabled, created_at AS "createdAt",
      failing_since AS "failingSince", last_success_at AS "lastSuccessAt", failures FROM webhooks
    WHERE org_id = ${orgId}::uuid`;
  return readPage(db, page, select);
}

export function findWebhook(db: DbSession, orgId: OrgId, id: string): Promise<WebhookRow | null> {
  return db.webhook.findFirst({ where: { id, orgId }, select: SELECT });
}

/** Changes a webhook. One that is enabled again counts as if no attempt had failed. Null: there is none. */
export async function updateWebhook(
  tx: DbSession,
  orgId: OrgId,
  id: string,
  changes: Partial<WebhookSettings>,
): Promise<WebhookRow | null> {
  const begins = { failingSince: null, failures: 0, isMailDue: false, disabledAt: null };
  const more =
    changes.enabled === true ? begins : changes.enabled === false ? { disabledAt: new Date(await readNowMs(tx)) } : {};
  const [row] = await tx.webhook.updateManyAndReturn({
    where: { id, orgId },
    data: { ...changes, ...more },
    select: SELECT,
  });
  return row ?? null;
}

/**
 * Deletes deliveries of a webhook, in many statements: one statement that deletes all of them could take longer than a
 * statement may.
 */
export async function deleteDeliveries(db: DbSession, orgId: OrgId, id: string): Promise<void> {
  await inPages(
    (below) => db.$queryRaw<TimeCursor[]>`
      WITH page AS MATERIALIZED (
        SELECT id, created_at FROM webhook_deliveries
        WHERE webhook_id = ${id}::uuid AND org_id = ${orgId}::uuid AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
        ORDER BY created_at DESC, id DESC LIMIT ${PAGE_ROWS} FOR UPDATE SKIP LOCKED),
      deleted AS (DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(SELECT id FROM page)))
      ${OLDEST}`,
  );
}

/**
 * Disables a webhook, and informs the others by an event and the owners by email, at most once a day. Does nothing if it is
 * disabled already.
 * Call `failPending` after the commit.
 */
export async function disableWebhook(tx: DbSession, id: string, reason: string): Promise<void> {
  const [disabled] = await tx.$queryRaw<{ orgId: OrgId }[]>`
    UPDATE webhooks SET enabled = false, disabled_at = date_trunc('milliseconds', clock_timestamp()),
      is_mail_due = mailed_at IS NULL OR mailed_at <= now() - interval '1 day'
    WHERE id = ${id}::uuid AND enabled
    RETURNING org_id AS "orgId"`;
  if (!disabled) return;
  await tx.$executeRaw`
    INSERT INTO webhook_events (org_id, type, data, created_at)
    SELECT w.org_id, 'webhook.disabled', json_build_object('id', w.id, 'reason', ${reason}::text),
      date_trunc('milliseconds', clock_timestamp())
    FROM webhooks w WHERE w.id = ${id}::uuid AND has_webhook_for(w.org_id, 'webhook.disabled')`;
}

/**
 * Ends the pending deliveries of a webhook that is disabled, in many statements. Each that is left ends when its next attempt
 * is due. `recover` takes them up.
 */
export async function failPending(db: DbSession, id: string): Promise<void> {
  await inPages(
    (below) => db.$queryRaw<TimeCursor[]>`
      WITH page AS MATERIALIZED (
        SELECT d.id, d.created_at FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE d.webhook_id = ${id}::uuid AND d.status = 'pending' AND NOT w.enabled
          AND (d.created_at, d.id) < (${below.at}::timestamptz, ${below.id}::uuid)
        ORDER BY d.created_at DESC, d.id DESC LIMIT ${PAGE_ROWS} FOR UPDATE OF d SKIP LOCKED),
      failed AS (
        UPDATE webhook_deliveries SET status = 'failed', attempts_left = 0, next_attempt_at = NULL
        WHERE id = ANY (ARRAY(SELECT id FROM page)) AND status = 'pending')
      ${OLDEST}`,
  );
}

/** Writes a test event for one webhook. */
export async function writeTestEvent(tx: DbSession, orgId: OrgId, id: string, type: string): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO webhook_events (org_id, type, data, webhook_id, created_at)
    VALUES (${orgId}::uuid, ${type}, json_build_object('id', ${id}::uuid), ${id}::uuid,
      date_trunc('milliseconds', clock_timestamp()))`;
}

/**
 * Takes webhooks whose owners must be informed that they were disabled, one of each organization after `after`: at most `limit`.
 * Each is returned once.
 */
export function takeDisabledWebhooks(db: DbSession, after: OrgId, limit: number): Promise<Notice[]> {
  return db.$queryRaw<Notice[]>`
    WITH due AS (
      SELECT id FROM webhooks WHERE is_mail_due AND id IN (${nextNotices('webhooks', after, limit)})
      -- Planning waits for a webhook that is locked for its deletion. This lock does not look like one.
      FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE webhooks w SET is_mail_due = false, mailed_at = now() FROM due WHERE w.id = due.id
    RETURNING w.id, w.org_id AS "orgId", ${recipientsOf(Prisma.sql`w.org_id`, ['owner'])} AS recipients`;
}
