import type { PaymentRow } from '@jobline/db';
import type { Payment, PaymentOutcome } from '@jobline/handlers/ports';

/** A row as everybody else knows it. */
export function toPayment(row: PaymentRow): Payment {
  const { provider, requestId, merchantRequestId } = row;
  return { provider, ids: requestId === null ? null : { requestId, merchantRequestId }, outcome: outcomeOf(row) };
}

function outcomeOf({ status, resultCode, resultMessage, receipt, paidAt }: PaymentRow): PaymentOutcome | null {
  if (status !== 'paid' && status !== 'failed') return null;
  return { status, code: resultCode ?? '', message: resultMessage ?? '', receipt, paidAt };
}
