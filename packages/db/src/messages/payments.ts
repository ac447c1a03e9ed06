import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';

/** States of a payment: the prompt is being sent, was sent, was certainly not sent, and the two final states. */
export type PaymentStatus = 'calling' | 'prompted' | 'refused' | 'paid' | 'failed';

/** The stored data of a job's payment. */
export interface PaymentRow {
  id: string;
  orgId: OrgId;
  jobKey: JobKey;
  provider: string;
  status: PaymentStatus;
  requestId: string | null;
  merchantRequestId: string | null;
  resultCode: string | null;
  resultMessage: string | null;
  receipt: string | null;
  paidAt: Date | null;
}

/** SQL: the columns of a PaymentRow. */
const COLUMNS = Prisma.sql`id, org_id AS "orgId", job_key AS "jobKey", provider, status::text AS status, request_id AS "requestId",
  merchant_request_id AS "merchantRequestId", result_code AS "resultCode", result_message AS "resultMessage",
  receipt, paid_at AS "paidAt"`;

/** The result of a prompt, as its provider reported it. */
export interface PaymentEnd {
  status: 'paid' | 'failed';
  code: string;
  message: string;
  receipt: string | null;
  paidAt: Date | null;
}

interface Ids {
  requestId: string;
  merchantRequestId: string | null;
}

/**
 * Gives the right to send the prompt of a job's payment to one caller: if there is no payment yet, or the last prompt
 * was certainly not sent. Otherwise returns the stored payment. It is committed before the prompt is sent. Each right
 * has its own id: a repetition after a lost response finds the payment by that id, and a late write of an earlier
 * holder does not change it. A deleted job gives the right to no caller, because its payment was deleted with it.
 */
export async function beginPayment(
  db: DbSession,
  orgId: OrgId,
  payment: { id: string; jobKey: JobKey; provider: string; phone: string; amount: number; ref: string },
): Promise<{ mayCall: true; id: string } | { mayCall: false; row: PaymentRow }> {
  const { id, jobKey, provider, phone, amount, ref } = payment;
  // Retention deletes the job and its payment in another order.
  const begun = await retryDeadlocks(
    () => db.$queryRaw<{ id: string }[]>`
    INSERT INTO payments AS p (id, org_id, job_key, provider, phone, amount, ref, status, updated_at)
    SELECT ${id}::uuid, org_id, key, ${provider}, ${phone}, ${amount}::int, ${ref}, 'calling', now()
    FROM submitted_jobs WHERE key = ${jobKey}::uuid AND org_id = ${orgId}::uuid FOR KEY SHARE
    ON CONFLICT (job_key) DO UPDATE SET id = excluded.id, status = 'calling', provider = excluded.provider,
      phone = excluded.phone, amount = excluded.amount, ref = excluded.ref, updated_at = now()
      WHERE p.status = 'refused' AND p.org_id = excluded.org_id
    RETURNING id`,
  );
  if (begun[0]) return { mayCall: true, id: begun[0].id };
  const row = await findPayment(db, orgId, jobKey);
  if (!row)
    throw new Error('the job was deleted, or belongs to another organization: no payment prompt is sent for it');
  return row.id === id && row.status === 'calling' ? { mayCall: true, id } : { mayCall: false, row };
}

async function findPayment(db: DbSession, orgId: OrgId, jobKey: JobKey): Promise<PaymentRow | null> {
  const row = await db.payment.findFirst({ where: { jobKey, orgId } });
  return row && { ...row, orgId, jobKey };
}

/** calling → refused: no prompt was sent, so another attempt may send one. */
export async function recordRefused(db: DbSession, orgId: OrgId, id: string, message: string): Promise<void> {
  await db.$executeRaw`
    UPDATE payments SET status = 'refused', result_message = ${message}, updated_at = now()
    WHERE id = ${id}::uuid AND org_id = ${orgId}::uuid AND status = 'calling'`;
}

/**
 * calling → prompted; the payment is due for a check after `checkInMs`, or never if no prompt was sent. A result that
 * was reported meanwhile stays. Returns the current payment.
 */
export async function recordPrompted(
  db: DbSession,
  orgId: OrgId,
  id: string,
  ids: Ids | null,
  checkInMs: number,
): Promise<PaymentRow> {
  const rows = await db.$queryRaw<PaymentRow[]>`
    UPDATE payments p SET request_id = coalesce(p.request_id, ${ids?.requestId ?? null}),
      merchant_request_id = coalesce(p.merchant_request_id, ${ids?.merchantRequestId ?? null}),
      check_at = CASE WHEN p.status = 'calling' AND ${ids !== null} THEN now() + ${checkInMs} * interval '1 ms' ELSE p.check_at END,
      status = CASE p.status WHEN 'calling' THEN 'prompted' ELSE p.status END, updated_at = now()
    WHERE id = ${id}::uuid AND org_id = ${orgId}::uuid
    RETURNING ${COLUMNS}`;
  if (!rows[0]) throw new Error('the payment was deleted');
  return rows[0];
}

/**
 * Records the result of a prompt, found by our id or by the provider's, and makes it due for delivery to its job. The
 * status `paid` is final; a later report can only add its receipt. Null: no such prompt, or nothing new.
 */
export async function recordPaymentEnd(
  db: DbSession,
  provider: string,
  prompt: { paymentId: string | null; ids: Ids },
  end: PaymentEnd,
): Promise<PaymentRow | null> {
  const { requestId, merchantRequestId } = prompt.ids;
  const isPaid = end.status === 'paid';
  const rows = await db.$queryRaw<PaymentRow[]>`
    UPDATE payments p SET status = ${end.status}::payment_status, result_code = ${end.code}, result_message = ${end.message},
      receipt = coalesce(${end.receipt}, p.receipt), paid_at = coalesce(${end.paidAt?.toISOString() ?? null}::timestamptz, p.paid_at),
      request_id = ${requestId}, merchant_request_id = coalesce(p.merchant_request_id, ${merchantRequestId}),
      check_at = now(), updated_at = now()
    WHERE p.provider = ${provider} AND (p.request_id = ${requestId} OR (p.request_id IS NULL AND p.id = ${prompt.paymentId}::uuid))
      AND (p.status IN ('calling', 'prompted') OR (${isPaid} AND p.status <> 'paid')
        OR (${isPaid} AND p.receipt IS NULL AND ${end.receipt}::text IS NOT NULL))
    RETURNING ${COLUMNS}`;
  return rows[0] ?? null;
}

/** Whether a prompt with these ids exists. */
export async function hasPayment(
  db: DbSession,
  provider: string,
  { paymentId, ids }: { paymentId: string | null; ids: Ids },
): Promise<boolean> {
  const where = { provider, OR: [{ requestId: ids.requestId }, ...(paymentId === null ? [] : [{ id: paymentId }])] };
  return (await db.payment.count({ where })) > 0;
}

/**
 * At most `limit` payments that are due for a check. Each is postponed by `againInMs`, so that no other process checks
 * it meanwhile, and a later check follows if the caller dies. `ageMs` is the age of each payment.
 */
export function takeDuePayments(
  db: DbSession,
  { limit, againInMs }: { limit: number; againInMs: number },
): Promise<(PaymentRow & { ageMs: number })[]> {
  return db.$queryRaw<(PaymentRow & { ageMs: number })[]>`
    UPDATE payments p SET check_at = now() + ${againInMs} * interval '1 ms'
    WHERE p.id IN (
      SELECT id FROM payments WHERE check_at <= now() ORDER BY check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING ${COLUMNS}, (extract(epoch FROM now() - created_at) * 1000)::float8 AS "ageMs"`;
}

/**
 * Sets the time of the next check of a payment; null: no further check. Only if the payment is unchanged since the
 * caller read it.
 */
export async function checkPaymentAt(
  db: DbSession,
  { id, status, receipt }: Pick<PaymentRow, 'id' | 'status' | 'receipt'>,
  inMs: number | null,
): Promise<void> {
  await db.$executeRaw`
    UPDATE payments SET check_at = now() + ${inMs}::float8 * interval '1 ms'
    WHERE id = ${id}::uuid AND status::text = ${status} AND receipt IS NOT DISTINCT FROM ${receipt}`;
}
