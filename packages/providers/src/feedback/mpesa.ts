import type { PaymentReport } from '@jobline/handlers/ports';
import { isUuid } from '@jobline/runtime';
import { readJson } from '../call-provider.js';
import { readId, readWords } from './callback.js';

/** The query parameter of the callback URL that carries our own id of the prompt. */
export const PAYMENT_PARAM = 'payment';

interface Callback {
  MerchantRequestID: unknown;
  CheckoutRequestID: unknown;
  ResultCode: unknown;
  ResultDesc: unknown;
  CallbackMetadata: { Item?: unknown };
}

/** Reads the callback of M-PESA's STK push: the outcome of one prompt. */
export function readMpesaReport(body: Uint8Array, query: URLSearchParams): PaymentReport[] | null {
  const text = new TextDecoder().decode(body);
  const callback = readJson<{ Body: { stkCallback?: Partial<Callback> | null } | null }>(text)?.Body?.stkCallback;
  const code = codeText(callback?.ResultCode);
  const requestId = readId(callback?.CheckoutRequestID);
  if (!callback || code === null || requestId === null) return null;
  const paymentId = query.get(PAYMENT_PARAM) ?? '';
  const isPaid = code === PAID;
  const items = itemsOf(callback.CallbackMetadata);
  return [
    {
      paymentId: isUuid(paymentId) ? paymentId : null,
      ids: { requestId, merchantRequestId: readId(callback.MerchantRequestID) },
      outcome: {
        status: isPaid ? 'paid' : 'failed',
        code,
        message: readWords(callback.ResultDesc) ?? '',
        receipt: isPaid ? readId(items.get('MpesaReceiptNumber')) : null,
        paidAt: isPaid ? instantOf(items.get('TransactionDate')) : null,
      },
    },
  ];
}

/** The result code of a successful payment. Codes are numbers in callbacks and strings in answers to queries. */
export const PAID = '0';

export function codeText(code: unknown): string | null {
  return typeof code === 'number' ? String(code) : readId(code);
}

/** Name → value. Some items have no value. */
function itemsOf(metadata: Callback['CallbackMetadata'] | null | undefined): Map<unknown, unknown> {
  const items: unknown[] = Array.isArray(metadata?.Item) ? metadata.Item : [];
  return new Map(
    items
      .filter((item): item is { Name?: unknown; Value?: unknown } => typeof item === 'object' && item !== null)
      .map(({ Name, Value }) => [Name, Value]),
  );
}

/** Reads a time such as 20191219102115, which is in UTC+3 (East Africa Time, no daylight saving). */
function instantOf(stamp: unknown): Date | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(String(stamp)) ?? [];
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}+03:00`);
  return Number.isNaN(at.getTime()) ? null : at;
}
