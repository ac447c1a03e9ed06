import fc from 'fast-check';
import { almost, oddValue } from './values.js';

/** Bodies of provider callbacks, which have no schema: those of M-PESA and SendGrid. */
export const CALLBACKS: readonly unknown[] = [
  {
    Body: {
      stkCallback: {
        MerchantRequestID: '1',
        CheckoutRequestID: 'ws_1',
        ResultCode: 0,
        ResultDesc: 'ok',
        CallbackMetadata: {
          Item: [
            { Name: 'MpesaReceiptNumber', Value: 'A1' },
            { Name: 'TransactionDate', Value: 20261121120000 },
          ],
        },
      },
    },
  },
  [
    {
      event: 'bounce',
      email: 'a@example.com',
      timestamp: 1,
      sg_event_id: 'e1',
      sg_message_id: 'm1.filter',
      jl_message_id: 'x',
    },
  ],
];

/** The largest body that the service accepts. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Bodies derived from valid values: the values, values with changes, and arbitrary bytes. */
export function bodiesOf(right: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const text = right.map((value) => JSON.stringify(value));
  const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(text, fc.nat()).map(([all, n]) => Buffer.from(all.slice(0, n % all.length))),
    text.map((all) => Buffer.from(`\ufeff${all}`)),
    text.map((all) => Buffer.from(all, 'utf16le')),
    text.map((all) => Buffer.from(`${all}${all}`)),
    text.map((all) => Buffer.from(all.replace('{', '{"type":"a","type":"b",'))),
    fc
      .constantFrom('', ' ', 'null', '[]', '"x"', '1e999', '{"a":1,}', 'NaN', '['.repeat(100_000))
      .map((all) => Buffer.from(all)),
    fc.constantFrom(`{"a":"${'x'.repeat(MAX_BODY_BYTES)}"}`).map((all) => Buffer.from(all)),
    fc
      .constantFrom(`{"type":"a","payload":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`)
      .map((all) => Buffer.from(all)),
    fc
      .constantFrom('a=1&b[]=2&id=3', 'id=ATPid_1&status=Success', 'id=&status=Failed&failureReason=%00')
      .map((all) => Buffer.from(all)),
  );
  return fc.oneof(
    { weight: 13, arbitrary: right.map(json) },
    { weight: 10, arbitrary: almost(right).map(json) },
    { weight: 1, arbitrary: oddValue.map(json) },
    { weight: 2, arbitrary: garbage },
  );
}
