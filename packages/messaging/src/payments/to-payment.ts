import type { PaymentRow } from '@jobline/db';
import type { Payment, PaymentOutcome } from '@jobline/handlers/ports';

/** The payment of a row, as it is known outside the database. */
export function toPayment(row: PaymentRow): Payment {
  const { provider, requestId, merchantRequestId } = row;
  return { provider, ids: requestId === null ? null : { requestId, merchantRequestId }, outcome: outcomeOf(row) };
}

function outcomeOf({ status, resultCode, resultMessage, receipt, paidAt }: PaymentRow): PaymentOutcome | null {
  if (status !== 'paid' && status !== 'failed') return null;
  return { status, code: resultCode ?? '', message: resultMessage ?? '', receipt, paidAt };
}
