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
  /** The caller's id of the job that the event is about; null: none, or it was deleted. */
  jobId: string | null;
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
  d.last_error AS "lastError", d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt",
  (SELECT s.id FROM submitted_jobs s WHERE s.key = e.job_key) AS "jobId"`;

/** SQL: the data of the event `e`, without the values of redacted keys. */
export const EVENT_DATA = Prisma.sql`
  (CASE WHEN ${HAS_VALUES} THEN redact_event(e.data, redacted_keys(e.org_id, e.job_key)) ELSE e.data END)::text AS data`;

/** The key of an organization's job, or null. */
export async function findJobKey(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const job = await db.job.findFirst({ where: { orgId, id }, select: { key: true } });
  return job?.key ?? null;
}

/** Whose deliveries: those of a webhook, or those of a job to its callback URL. */
export type Receiver = { webhookId: string } | { jobKey: string };

/** Which deliveries are listed: those that match every field that is set. */
export interface DeliveryFilter {
  status?: WebhookDelivery['status'] | undefined;
  event?: string | undefined;
  /** Of events about this job. */
  jobKey?: string | undefined;
  /** The HTTP status of the latest answer. */
  statusCode?: number | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
}

/** How many deliveries one page examines whose filters no index serves, and how many events of a job. */
const EXAMINED = 5_000;

/**
 * A page of deliveries, newest first. With `event` or `statusCode` it ends early, even without a row, after EXAMINED deliveries
 * that match the other fields, which indexes find.
 */
export async function listDeliveries(
  db: DbSession,
  orgId: OrgId,
  receiver: Receiver,
  { limit, cursor, ...filter }: PageRequest & DeliveryFilter,
): Promise<Page<DeliveryRow>> {
  const { status, event, jobKey, statusCode, createdAfter, createdBefore } = filter;
  const below = upperBound(cursor, createdBefore);
  const conditions = [
    'webhookId' in receiver
      ? Prisma.sql`webhook_id = ${receiver.webhookId}::uuid`
      : Prisma.sql`job_key = ${receiver.jobKey}::uuid`,
    Prisma.sql`org_id = ${orgId}::uuid AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)`,
    ...(status === undefined ? [] : [Prisma.sql`status = ${status}::delivery_status`]),
    ...(createdAfter === undefined ? [] : [Prisma.sql`created_at >= ${createdAfter.toISOString()}::timestamptz`]),
  ];
  const isExamined = event !== undefined || statusCode !== undefined;
  const most = isExamined ? EXAMINED : limit + 1;
  const matches = [
    ...(event === undefined ? [] : [Prisma.sql`AND e.type = ${event}`]),
    ...(statusCode === undefined ? [] : [Prisma.sql`AND d.last_status = ${statusCode}::int`]),
  ];
  const rows = await db.$queryRaw<(DeliveryRow & { seen: number; lastId: string; lastAt: Date })[]>`
    WITH seen AS MATERIALIZED (
      SELECT * FROM ${jobKey === undefined ? Prisma.sql`webhook_deliveries` : deliveriesAbout(jobKey)} AS s
      WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY created_at DESC, id DESC LIMIT ${most}),
    l AS (SELECT count(*)::int AS seen, min(created_at) AS at, (array_agg(id ORDER BY created_at, id))[1] AS id FROM seen)
    SELECT ${COLUMNS}, l.seen, l.id AS "lastId", l.at AS "lastAt"
    FROM l LEFT JOIN (seen d JOIN webhook_events e ON e.id = d.event_id ${Prisma.join([Prisma.empty, ...matches], ' ')}) ON true
    ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit + 1}`;
  // Without a match, the only row has no delivery.
  const items = rows.filter(({ id }) => id !== null);
  const [first] = rows;
  if (items.length > limit || first?.seen !== most) return toPage(items, limit, byCreation);
  return { items, next: { createdAt: first.lastAt, id: first.lastId } };
}

/** SQL: the deliveries of the latest events about a job, and of those about its messages and its payment. */
function deliveriesAbout(jobKey: string): Prisma.Sql {
  // OFFSET 0 keeps the lookup by event. The conditions on the type select the indexes.
  return Prisma.sql`(SELECT * FROM webhook_deliveries WHERE event_id = ANY (ARRAY(
      (SELECT id FROM webhook_events WHERE job_key = ${jobKey}::uuid AND type LIKE 'job.%' ORDER BY created_at DESC LIMIT ${EXAMINED})
      UNION ALL
      (SELECT id FROM webhook_events WHERE job_key = ${jobKey}::uuid AND (type LIKE 'message.%' OR type LIKE 'payment.%')
       LIMIT ${EXAMINED}))) OFFSET 0)`;
}

export interface DeliveryDetailRow extends DeliveryRow {
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
  const [row] = await db.$queryRaw<(DeliveryRow & { eventId: string; data: string; eventAt: Date })[]>`
    SELECT ${COLUMNS}, e.id AS "eventId", ${EVENT_DATA}, e.created_at AS "eventAt"
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
      e.id AS "eventId", e.type, ${EVENT_DATA}, e.created_at AS "eventAt"
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
    // Of many deliveries at the same time, few write the row.
    await tx.$executeRaw`
      UPDATE webhooks SET failing_since = NULL, failures = 0, last_success_at = clock_timestamp()
      WHERE id = ${webhookId}::uuid
        AND (failing_since IS NOT NULL OR last_success_at IS NULL OR last_success_at < clock_timestamp() - interval '100 ms')`;
    return 0;
  }
  const [row] = await tx.$queryRaw<{ ms: number }[]>`
    UPDATE webhooks SET failing_since = coalesce(failing_since, clock_timestamp()), failures = failures + 1
    WHERE id = ${webhookId}::uuid
    RETURNING greatest(extract(epoch FROM clock_timestamp() - failing_since) * 1000, 0)::float8 AS ms`;
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

/**
 * The same for all deliveries of a webhook that were created since a time and failed, or were delivered if this is wanted, in many
 * statements. Those that are pending get their attempts anyway.
 */
export async function repeatSince(
  db: DbSession,
  orgId: OrgId,
  webhookId: string,
  { since, delivered }: { since: Date; delivered: boolean },
): Promise<void> {
  const ended = delivered ? ['failed', 'delivered'] : ['failed'];
  await inPages(
    (below) => db.$queryRaw<TimeCursor[]>`
      WITH page AS MATERIALIZED (
        SELECT id, created_at FROM webhook_deliveries
        WHERE webhook_id = ${webhookId}::uuid AND org_id = ${orgId}::uuid AND created_at >= ${since.toISOString()}::timestamptz
          AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
          -- A delivery whose job has failed for another reason than its receiver is overdue.
          AND (status = ANY (${ended}::delivery_status[]) OR (status = 'pending' AND next_attempt_at < now() - interval '10 min'))
        ORDER BY created_at DESC, id DESC LIMIT ${PAGE_ROWS} FOR UPDATE SKIP LOCKED),
      repeated AS (${REPEAT} WHERE id = ANY (ARRAY(SELECT id FROM page)))
      ${OLDEST}`,
  );
}
