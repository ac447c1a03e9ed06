import type { OrgId } from '@jobline/contracts';
import { Prisma, type WebhookDelivery, type WebhookTry } from '../generated/client.js';
import { HAS_VALUES } from '../jobs/redaction.js';
import type { DbSession } from '../postgres/client.js';
import {
  byCreation,
  inPages,
  OLDEST,
  PAGE_ROWS,
  type Page,
  type PageRequest,
  type TimeCursor,
  toPage,
  upperBound,
} from '../postgres/page.js';

export interface DeliveryRow
  extends Pick<
    WebhookDelivery,
    'id' | 'status' | 'attempts' | 'lastStatus' | 'lastError' | 'nextAttemptAt' | 'createdAt'
  > {
  event: string;
}

export type TryRow = Pick<WebhookTry, 'at' | 'status' | 'error' | 'answer' | 'ms'>;

/** The event of a delivery. `data`: JSON text. */
export interface DeliveredEvent {
  id: string;
  type: string;
  data: string;
  createdAt: Date;
}

const COLUMNS = Prisma.sql`d.id, e.type AS event, d.status::text AS status, d.attempts, d.last_status AS "lastStatus",
  d.last_error AS "lastError", d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt"`;

/** SQL: the data of the event `e`, without the values of redacted keys. */
const DATA = Prisma.sql`
  (CASE WHEN ${HAS_VALUES} THEN redact_event(e.data, redacted_keys(e.org_id, e.job_key)) ELSE e.data END)::text AS data`;

/** The key of an organization's job, or null. */
export async function findJobKey(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const job = await db.job.findFirst({ where: { orgId, id }, select: { key: true } });
  return job?.key ?? null;
}

/** Whose deliveries: those of a webhook, or those of a job to its callback URL. */
export type Receiver = { webhookId: string } | { jobKey: string };

/** A page of deliveries, newest first. */
export async function listDeliveries(
  db: DbSession,
  orgId: OrgId,
  receiver: Receiver,
  page: PageRequest & { status?: WebhookDelivery['status'] | undefined },
): Promise<Page<DeliveryRow>> {
  const below = upperBound(page.cursor);
  const ofReceiver =
    'webhookId' in receiver
      ? Prisma.sql`d.webhook_id = ${receiver.webhookId}::uuid`
      : Prisma.sql`d.job_key = ${receiver.jobKey}::uuid`;
  const ofStatus =
    page.status === undefined ? Prisma.empty : Prisma.sql`AND d.status = ${page.status}::delivery_status`;
  const rows = await db.$queryRaw<DeliveryRow[]>`
    SELECT ${COLUMNS} FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id
    WHERE ${ofReceiver} ${ofStatus} AND d.org_id = ${orgId}::uuid
      AND (d.created_at, d.id) < (${below.at}::timestamptz, ${below.id}::uuid)
    ORDER BY d.created_at DESC, d.id DESC LIMIT ${page.limit + 1}`;
  return toPage(rows, page.limit, byCreation);
}

export interface DeliveryDetailRow extends DeliveryRow {
  /** The caller's id of the job that the event is about; null: none, or it was deleted. */
  jobId: string | null;
  sent: DeliveredEvent;
  tries: TryRow[];
}

/** A delivery of a webhook of an organization, or null. */
export async function findDelivery(
  db: DbSession,
  orgId: OrgId,
  webhookId: string,
  id: string,
): Promise<DeliveryDetailRow | null> {
  const [row] = await db.$queryRaw<
    (DeliveryRow & Pick<DeliveryDetailRow, 'jobId'> & { eventId: string; data: string; eventAt: Date })[]
  >`
    SELECT ${COLUMNS}, e.id AS "eventId", ${DATA}, e.created_at AS "eventAt",
      (SELECT s.id FROM submitted_jobs s WHERE s.key = e.job_key) AS "jobId"
    FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id
    WHERE d.id = ${id}::uuid AND d.webhook_id = ${webhookId}::uuid AND d.org_id = ${orgId}::uuid`;
  if (!row) return null;
  const { eventId, data, eventAt, ...delivery } = row;
  const select = { at: true, status: true, error: true, answer: true, ms: true } as const;
  const where = { deliveryId: id };
  const tries = await db.webhookTry.findMany({ where, select, orderBy: { n: 'asc' }, take: MAX_TRIES });
  return { ...delivery, sent: { id: eventId, type: row.event, data, createdAt: eventAt }, tries };
}

/** Attempts on request are many only if a program asks for them. */
const MAX_TRIES = 100;

/** What an attempt needs. */
export interface DeliveryToSend {
  orgId: OrgId;
  url: string;
  /** Null: the secrets of the organization sign it. */
  webhookId: string | null;
  event: DeliveredEvent;
  /** Whether its webhook is enabled; true for a callback. */
  isEnabled: boolean;
  status: WebhookDelivery['status'];
  attemptsLeft: number;
  /** The time until its next attempt is due, in ms. */
  dueInMs: number;
}

export async function findDeliveryToSend(db: DbSession, id: string): Promise<DeliveryToSend | null> {
  const [row] = await db.$queryRaw<
    (Omit<DeliveryToSend, 'event'> & { eventId: string; type: string; data: string; eventAt: Date })[]
  >`
    SELECT d.org_id AS "orgId", coalesce(w.url, d.callback_url) AS url, d.webhook_id AS "webhookId", d.status::text AS status,
      coalesce(w.enabled, true) AS "isEnabled", d.attempts_left AS "attemptsLeft",
      coalesce(extract(epoch FROM d.next_attempt_at - clock_timestamp()) * 1000, 0)::float8 AS "dueInMs",
      e.id AS "eventId", e.type, ${DATA}, e.created_at AS "eventAt"
    FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id LEFT JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ${id}::uuid`;
  if (!row) return null;
  const { eventId, type, data, eventAt, ...delivery } = row;
  return { ...delivery, event: { id: eventId, type, data, createdAt: eventAt } };
}

/** The state of a delivery, locked for the record of an attempt. */
export interface LockedDelivery {
  orgId: OrgId;
  webhookId: string | null;
  callbackUrl: string | null;
  status: WebhookDelivery['status'];
  attempts: number;
  attemptsLeft: number;
}

export async function lockDelivery(tx: DbSession, id: string): Promise<LockedDelivery | null> {
  const [row] = await tx.$queryRaw<LockedDelivery[]>`
    SELECT org_id AS "orgId", webhook_id AS "webhookId", callback_url AS "callbackUrl", status::text AS status, attempts,
      attempts_left AS "attemptsLeft"
    FROM webhook_deliveries WHERE id = ${id}::uuid FOR UPDATE`;
  return row ?? null;
}

/**
 * What an attempt changes. `delayMs`: the time until the next attempt; null: none follows; `keep`: it stays, because the attempt
 * was one on request. `isOutdated`: the result of a later attempt stays.
 */
export interface DeliveryState {
  status: WebhookDelivery['status'];
  attemptsLeft: number;
  delayMs: number | null | 'keep';
  isOutdated: boolean;
}

/** Stores an attempt of a locked delivery, and its new state. */
export async function recordTry(
  tx: DbSession,
  id: string,
  n: number,
  attempt: Omit<TryRow, 'at'>,
  { status, attemptsLeft, delayMs, isOutdated }: DeliveryState,
): Promise<void> {
  const { status: answered, error, answer, ms } = attempt;
  await tx.$executeRaw`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    n AS (
      INSERT INTO webhook_tries (delivery_id, n, at, status, error, answer, ms)
      SELECT ${id}::uuid, ${n}::int, t.now - ${ms}::int * interval '1 ms', ${answered}::int, ${error}, ${answer}, ${ms}::int FROM t)
    UPDATE webhook_deliveries SET attempts = ${n}::int, status = ${status}::delivery_status, attempts_left = ${attemptsLeft}::int,
      last_status = CASE WHEN ${isOutdated}::bool THEN last_status ELSE ${answered}::int END,
      last_error = CASE WHEN ${isOutdated}::bool THEN last_error ELSE ${error} END,
      next_attempt_at = CASE WHEN ${delayMs === 'keep'}::bool THEN next_attempt_at
        ELSE t.now + ${delayMs === 'keep' ? null : delayMs}::float8 * interval '1 ms' END
    FROM t WHERE id = ${id}::uuid`;
}

/** Notes whether the latest attempt of a webhook succeeded. Returns for how long every attempt has failed, in ms. */
export async function noteAttempt(tx: DbSession, webhookId: string, hasSucceeded: boolean): Promise<number> {
  if (hasSucceeded) {
    await tx.$executeRaw`
      UPDATE webhooks SET failing_since = NULL WHERE id = ${webhookId}::uuid AND failing_since IS NOT NULL`;
    return 0;
  }
  await tx.$executeRaw`
    UPDATE webhooks SET failing_since = clock_timestamp() WHERE id = ${webhookId}::uuid AND failing_since IS NULL`;
  const [row] = await tx.$queryRaw<{ ms: number }[]>`
    SELECT (extract(epoch FROM clock_timestamp() - failing_since) * 1000)::float8 AS ms FROM webhooks
    WHERE id = ${webhookId}::uuid`;
  return row?.ms ?? 0;
}

/** SQL: a delivery gets one more attempt, at once. One that has failed is pending again. */
const REPEAT = Prisma.sql`
  UPDATE webhook_deliveries SET status = 'pending', is_repeat_due = true,
    next_attempt_at = CASE WHEN attempts_left > 0 THEN next_attempt_at ELSE date_trunc('milliseconds', clock_timestamp()) END`;

/** Requests one more attempt for a delivery of a webhook. */
export async function repeatDelivery(db: DbSession, orgId: OrgId, webhookId: string, id: string): Promise<void> {
  await db.$executeRaw`
    ${REPEAT} WHERE webhook_id = ${webhookId}::uuid AND org_id = ${orgId}::uuid AND id = ${id}::uuid`;
}

/** The same for all deliveries of a webhook that failed and were created since a time, in many statements. */
export async function repeatFailed(db: DbSession, orgId: OrgId, webhookId: string, since: Date): Promise<void> {
  await inPages(
    (below) => db.$queryRaw<TimeCursor[]>`
      WITH page AS MATERIALIZED (
        SELECT id, created_at FROM webhook_deliveries
        WHERE webhook_id = ${webhookId}::uuid AND org_id = ${orgId}::uuid AND created_at >= ${since.toISOString()}::timestamptz
          AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
          -- A delivery whose job has failed for another reason than its receiver is overdue.
          AND (status = 'failed' OR (status = 'pending' AND next_attempt_at < now() - interval '10 min'))
        ORDER BY created_at DESC, id DESC LIMIT ${PAGE_ROWS} FOR UPDATE SKIP LOCKED),
      repeated AS (${REPEAT} WHERE id = ANY (ARRAY(SELECT id FROM page)))
      ${OLDEST}`,
  );
}

/** How the deliveries to a webhook ended that were created in a window of time. */
export interface DeliveryStats {
  webhookId: string;
  /** Every step of the window, oldest first. */
  series: { at: Date; pending: number; delivered: number; failed: number }[];
}

/** Counting so many deliveries of one webhook takes less than 100 ms. */
const COUNTED = 100_000;

/** The counts of each webhook of an organization. Only the latest deliveries of each count: COUNTED of them. */
export async function countDeliveries(
  db: DbSession,
  orgId: OrgId,
  { stepMs, steps }: { stepMs: number; steps: number },
): Promise<DeliveryStats[]> {
  const rows = await db.$queryRaw<{ webhookId: string; series: [number, number, number, number][] }[]>`
    WITH s AS MATERIALIZED (SELECT ${stepMs}::float8 * interval '1 ms' AS step),
    t AS MATERIALIZED (SELECT step, date_bin(step, now(), 'epoch') AS latest FROM s),
    counted AS MATERIALIZED (
      SELECT w.id, date_bin((SELECT step FROM t), d.created_at, 'epoch') AS at, d.status, count(*) AS n
      FROM webhooks w CROSS JOIN LATERAL (
        SELECT created_at, status FROM webhook_deliveries
        WHERE webhook_id = w.id AND created_at >= (SELECT latest - ${steps - 1}::int * step FROM t)
        ORDER BY created_at DESC LIMIT ${COUNTED}) AS d
      WHERE w.org_id = ${orgId}::uuid GROUP BY 1, 2, 3),
    series AS (
      SELECT w.id, w.created_at, g.at, coalesce(sum(c.n) FILTER (WHERE c.status = 'pending'), 0)::int AS pending,
        coalesce(sum(c.n) FILTER (WHERE c.status = 'delivered'), 0)::int AS delivered,
        coalesce(sum(c.n) FILTER (WHERE c.status = 'failed'), 0)::int AS failed
      FROM webhooks w CROSS JOIN t CROSS JOIN generate_series(t.latest - ${steps - 1}::int * t.step, t.latest, t.step) AS g(at)
      LEFT JOIN counted c ON c.id = w.id AND c.at = g.at WHERE w.org_id = ${orgId}::uuid GROUP BY 1, 2, 3)
    SELECT id AS "webhookId",
      json_agg(json_build_array(extract(epoch FROM at) * 1000, pending, delivered, failed) ORDER BY at) AS series
    FROM series GROUP BY id, created_at ORDER BY created_at DESC, id DESC`;
  return rows.map(({ webhookId, series }) => ({
    webhookId,
    series: series.map(([atMs, pending, delivered, failed]) => ({ at: new Date(atMs), pending, delivered, failed })),
  }));
}
