import type { JsonObject } from '@jobline/contracts';
import type { Payment } from './ports/payments.js';

/** A payment in the result of its job: at first, and again when its outcome is reported. */
export function paymentResult({ provider, ids, outcome }: Payment): JsonObject {
  return {
    provider,
    checkout_request_id: ids?.requestId ?? null,
    merchant_request_id: ids?.merchantRequestId ?? null,
    payment: outcome && {
      status: outcome.status,
      code: outcome.code,
      message: outcome.message,
      receipt: outcome.receipt,
      paid_at: outcome.paidAt?.toISOString() ?? null,
    },
  };
}

/** A payment as a line in the log of its job. */
export function paymentLine({ provider, ids, outcome }: Payment): string {
  if (outcome?.status === 'paid')
    return `${provider}: paid${outcome.receipt === null ? '' : `, receipt ${outcome.receipt}`}`;
  if (outcome) return `${provider}: not paid: ${outcome.message} (${outcome.code})`;
  return ids === null
    ? `${provider}: the payment was checked; no prompt was sent`
    : `${provider}: prompt ${ids.requestId} was sent; the payer has not answered yet`;
}
