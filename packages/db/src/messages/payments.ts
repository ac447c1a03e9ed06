import type { JobKey, OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

/** Of a payment: about to be asked for, asked for, certainly not asked for, and its two ends. */
export type PaymentStatus = 'calling' | 'prompted' | 'refused' | 'paid' | 'failed';

/** What is known of a job's payment. */
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

/** What a provider has told of a prompt's end. */
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
 * The right to ask for a job's payment, given to one caller: when nobody has it, or when the last one was certainly not
 * heard. Otherwise answers with what is on record. Committed before anybody is asked. Each right has an id of its own: a
 * repeat after a lost answer finds it by that, and what an earlier one's holder says later does not touch it. Nobody is
 * given it for a job that has been deleted, whose payment went with it.
 */
export async function beginPayment(
  db: DbSession,
  orgId: OrgId,
  payment: { id: string; jobKey: JobKey; provider: string; phone: string; amount: number; ref: string },
): Promise<{ mayCall: true; id: string } | { mayCall: false; row: PaymentRow }> {
  const { id, jobKey, provider, phone, amount, ref } = payment;
  const begun = await db.$queryRaw<{ id: string }[]>`
    INSERT INTO payments AS p (id, org_id, job_key, provider, phone, amount, ref, status, updated_at)
    SELECT ${id}::uuid, org_id, key, ${provider}, ${phone}, ${amount}::int, ${ref}, 'calling', now()
    FROM jobs WHERE key = ${jobKey}::uuid AND org_id = ${orgId}::uuid FOR KEY SHARE
    ON CONFLICT (job_key) DO UPDATE SET id = excluded.id, status = 'calling', provider = excluded.provider, updated_at = now()
      WHERE p.status = 'refused' AND p.org_id = excluded.org_id
    RETURNING id`;
  if (begun[0]) return { mayCall: true, id: begun[0].id };
  const row = await findPayment(db, orgId, jobKey);
  if (!row) throw new Error('the job is gone, or another organization’s: nobody is asked for its payment');
  return row.id === id && row.status === 'calling' ? { mayCall: true, id } : { mayCall: false, row };
}

export async function findPayment(db: DbSession, orgId: OrgId, jobKey: JobKey): Promise<PaymentRow | null> {
  const row = await db.payment.findUnique({ where: { jobKey, orgId } });
  return row && { ...row, orgId, jobKey };
}

/** calling → refused: nobody was asked, so another attempt may ask. */
export async function recordRefused(db: DbSession, orgId: OrgId, id: string, message: string): Promise<void> {
  await db.$executeRaw`
    UPDATE payments SET status = 'refused', result_message = ${message}, updated_at = now()
    WHERE id = ${id}::uuid AND org_id = ${orgId}::uuid AND status = 'calling'`;
}

/**
 * calling → prompted, to be looked at again after `checkInMs`; never, if nobody was asked. What has been reported
 * meanwhile stands. Answers with what is known now.
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
    RETURNING id, org_id AS "orgId", job_key AS "jobKey", provider, status::text AS status, request_id AS "requestId",
      merchant_request_id AS "merchantRequestId", result_code AS "resultCode", result_message AS "resultMessage",
      receipt, paid_at AS "paidAt"`;
  if (!rows[0]) throw new Error('the payment is gone');
  return rows[0];
}

/**
 * The end of a prompt, known by the id that we gave it or by the provider's own, due to be handed to its job. Paid stands
 * against all that comes later, and only learns its receipt. Null: no such prompt, or nothing new.
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
    RETURNING id, org_id AS "orgId", job_key AS "jobKey", provider, status::text AS status, request_id AS "requestId",
      merchant_request_id AS "merchantRequestId", result_code AS "resultCode", result_message AS "resultMessage",
      receipt, paid_at AS "paidAt"`;
  return rows[0] ?? null;
}

/** Whether there is a prompt of these ids at all. */
export async function hasPayment(
  db: DbSession,
  provider: string,
  { paymentId, ids }: { paymentId: string | null; ids: Ids },
): Promise<boolean> {
  const where = { provider, OR: [{ requestId: ids.requestId }, ...(paymentId === null ? [] : [{ id: paymentId }])] };
  return (await db.payment.count({ where })) > 0;
}

/**
 * Payments that are due to be looked at, `limit` at most. They are put off by `againInMs`, so that nobody else looks
 * meanwhile, and somebody does if the caller dies. `ageMs` is how long ago each was begun.
 */
export function takeDuePayments(
  db: DbSession,
  { limit, againInMs }: { limit: number; againInMs: number },
): Promise<(PaymentRow & { ageMs: number })[]> {
  return db.$queryRaw<(PaymentRow & { ageMs: number })[]>`
    UPDATE payments p SET check_at = now() + ${againInMs} * interval '1 ms'
    WHERE p.id IN (
      SELECT id FROM payments WHERE check_at <= now() ORDER BY check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id, org_id AS "orgId", job_key AS "jobKey", provider, status::text AS status, request_id AS "requestId",
      merchant_request_id AS "merchantRequestId", result_code AS "resultCode", result_message AS "resultMessage",
      receipt, paid_at AS "paidAt", (extract(epoch FROM now() - created_at) * 1000)::float8 AS "ageMs"`;
}

/** When to look at a payment again; null: there is nothing more to do. Only if it is still as it was seen. */
export async function checkPaymentAt(
  db: DbSession,
  { id, status, receipt }: Pick<PaymentRow, 'id' | 'status' | 'receipt'>,
  inMs: number | null,
): Promise<void> {
  await db.$executeRaw`
    UPDATE payments SET check_at = now() + ${inMs}::float8 * interval '1 ms'
    WHERE id = ${id}::uuid AND status::text = ${status} AND receipt IS NOT DISTINCT FROM ${receipt}`;
}
