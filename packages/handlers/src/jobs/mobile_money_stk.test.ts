import { describe, expect, test } from 'vitest';
import { issuesOf } from '../payload.js';
import type { Payment, PaymentOutcome, Payments } from '../ports/index.js';
import { runHandler } from '../testing.js';
import { mobileMoneyStk } from './mobile_money_stk.js';

const TERMS = { phone: '254712345678', amount: 100, ref: 'INV-1001' };
const IDS = { requestId: 'ws_CO_1', merchantRequestId: '29115-1' };
const PAID: PaymentOutcome = {
  status: 'paid',
  code: '0',
  message: 'Done.',
  receipt: 'NLJ7RT61SV',
  paidAt: new Date('2026-11-21T10:00:00Z'),
};

async function run(payment: Payment) {
  const asked: Parameters<Payments['request']>[] = [];
  const payments: Payments = {
    request: async (...given) => {
      asked.push(given);
      return payment;
    },
  };
  const { signal } = new AbortController();
  const options = { ports: { payments }, signal, orgId: 'org', idempotencyKey: 'job' };
  return { asked, signal, ...(await runHandler(mobileMoneyStk, TERMS, options)) };
}

test('mobile_money_stk sends a payment prompt and returns its ids', async () => {
  const { asked, signal, result, logs } = await run({ provider: 'mpesa', ids: IDS, outcome: null });

  expect(asked).toEqual([['org', 'job', TERMS, signal]]);
  expect(result).toEqual({
    provider: 'mpesa',
    checkout_request_id: 'ws_CO_1',
    merchant_request_id: '29115-1',
    payment: null,
  });
  expect(logs[0]?.message).toBe('mpesa: prompt ws_CO_1 was sent; the payer has not answered yet');
});

test('mobile_money_stk returns the outcome if it is known', async () => {
  const paid = await run({ provider: 'mpesa', ids: IDS, outcome: PAID });
  const failed = {
    ...PAID,
    status: 'failed' as const,
    code: '1032',
    message: 'Request cancelled by user',
    receipt: null,
  };
  const unpaid = await run({ provider: 'mpesa', ids: IDS, outcome: { ...failed, paidAt: null } });

  expect(paid.result).toMatchObject({
    payment: {
      status: 'paid',
      code: '0',
      message: 'Done.',
      receipt: 'NLJ7RT61SV',
      paid_at: '2026-11-21T10:00:00.000Z',
    },
  });
  expect(paid.logs[0]?.message).toBe('mpesa: paid, receipt NLJ7RT61SV');
  expect(unpaid.result).toMatchObject({ payment: { status: 'failed', code: '1032', receipt: null, paid_at: null } });
  expect(unpaid.logs[0]?.message).toBe('mpesa: not paid: Request cancelled by user (1032)');
});

test('the log of a sandbox payment says that no prompt was sent', async () => {
  const { result, logs } = await run({ provider: 'sandbox', ids: null, outcome: null });

  expect(result).toEqual({ provider: 'sandbox', checkout_request_id: null, merchant_request_id: null, payment: null });
  expect(logs[0]?.message).toBe('sandbox: the payment was checked; no prompt was sent');
});

describe('the payload of mobile_money_stk', () => {
  test.each([TERMS, { ...TERMS, amount: 1, ref: '1' }, { ...TERMS, ref: 'Ada & Söhne!', more: 1 }])(
    'can be %j',
    (payload) => {
      expect(issuesOf(mobileMoneyStk, payload)).toEqual([]);
    },
  );

  test.each<[object, string]>([
    [{ phone: '+254712345678' }, 'payload.phone'],
    [{ phone: '0712345678' }, 'payload.phone'],
    [{ phone: 254712345678 }, 'payload.phone'],
    [{ phone: '2547123' }, 'payload.phone'],
    [{ phone: undefined }, 'payload.phone'],
    [{ amount: 0 }, 'payload.amount'],
    [{ amount: -5 }, 'payload.amount'],
    [{ amount: 1.5 }, 'payload.amount'],
    [{ amount: '100' }, 'payload.amount'],
    [{ amount: 1e10 }, 'payload.amount'],
    [{ amount: undefined }, 'payload.amount'],
    [{ ref: '' }, 'payload.ref'],
    [{ ref: '   ' }, 'payload.ref'],
    [{ ref: 'a\u0000b' }, 'payload.ref'],
    [{ ref: '1234567890123' }, 'payload.ref'],
    [{ ref: 7 }, 'payload.ref'],
    [{ ref: undefined }, 'payload.ref'],
  ])('must not have %j', (issue, path) => {
    expect(issuesOf(mobileMoneyStk, { ...TERMS, ...issue }).map((found) => found.path)).toEqual([path]);
  });
});
