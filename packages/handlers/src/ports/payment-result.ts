import type { JsonObject } from '@jobline/contracts';
import type { Payment } from './payments.js';

/** A payment as the job's result has it: at first, and again when its outcome is reported. */
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

/** The same as a line of the job's log. */
export function paymentLine({ provider, ids, outcome }: Payment): string {
  if (outcome?.status === 'paid')
    return `${provider}: paid${outcome.receipt === null ? '' : `, receipt ${outcome.receipt}`}`;
  if (outcome) return `${provider}: not paid: ${outcome.message} (${outcome.code})`;
  return ids === null
    ? `${provider}: the payment was checked, and nobody was asked to pay`
    : `${provider}: the payer is asked under ${ids.requestId}, and has not answered yet`;
}
