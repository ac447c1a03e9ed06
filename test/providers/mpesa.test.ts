import { paymentReports, paymentsProviders } from '@jobline/providers';
import { silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { type Reply, until } from '../harness/index.js';
import { closedUrl, failureOf, startHangUp } from './failing-calls.js';
import {
  accepted,
  callback,
  ended,
  MPESA_SETTINGS,
  type MpesaBehavior,
  type MpesaServer,
  refused,
  startMpesa,
  stillOpen,
} from './mpesa-server.js';

const ID = '0193a6e1-5a3c-7c0a-9d5e-2f6d1c0b7a11';
const PROMPT = { id: ID, phone: '254708374149', amount: 100, ref: 'INV-1001' };
const never = new AbortController().signal;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function open(url: string, more: object = {}) {
  return paymentsProviders.open({ ...MPESA_SETTINGS, PAYMENTS_BASE_URL: url, ...more }, { log: silentLogger });
}

async function start(behavior?: MpesaBehavior): Promise<MpesaServer> {
  const server = await startMpesa(behavior);
  ends.push(server.close);
  return server;
}

describe('an M-PESA prompt', () => {
  it('is sent in the form of Daraja, with a callback URL that contains our id and the secret', async () => {
    const server = await start();
    const before = Date.now();

    const ids = await open(`${server.url}/prefix/`).prompt(PROMPT);

    expect(ids).toEqual({ requestId: 'ws_CO_1', merchantRequestId: '29115-1' });
    expect(server.tokens[0]?.headers.authorization).toBe(`Basic ${btoa('consumer:consumer-secret')}`);
    const [{ path, token, body } = { path: '', token: '', body: {} }] = server.pushes;
    expect({ path, token }).toEqual({ path: '/prefix/mpesa/stkpush/v1/processrequest', token: 'token-1' });
    expect(body).toEqual({
      BusinessShortCode: '174379',
      Timestamp: expect.stringMatching(/^\d{14}$/),
      Password: btoa(`174379pass-key${body.Timestamp}`),
      TransactionType: 'CustomerPayBillOnline',
      Amount: 100,
      PartyA: '254708374149',
      PartyB: '174379',
      PhoneNumber: '254708374149',
      CallBackURL: `https://jobs.example.com/base/webhooks/mpesa?secret=a-long-enough-secret&payment=${ID}`,
      AccountReference: 'INV-1001',
      TransactionDesc: 'INV-1001',
    });
    const stamp = body.Timestamp.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6+03:00');
    expect(Date.parse(stamp)).toBeGreaterThan(before - 1_000); // it has no milliseconds
    expect(Date.parse(stamp)).toBeLessThanOrEqual(Date.now());
  });

  it('pays to a till if one is configured', async () => {
    const server = await start();

    await open(server.url, { PAYMENTS_TILL: '800123' }).prompt(PROMPT);

    expect(server.pushes[0]?.body).toMatchObject({
      TransactionType: 'CustomerBuyGoodsOnline',
      BusinessShortCode: '174379',
      PartyB: '800123',
    });
  });

  it('shares one token with all others, until it is about to expire', async () => {
    const server = await start();
    const mpesa = open(server.url);
    await Promise.all([mpesa.prompt(PROMPT), mpesa.prompt(PROMPT), mpesa.prompt(PROMPT)]);
    expect(server.tokens).toHaveLength(1);

    const brief = await start({
      token: (n) => ({ body: JSON.stringify({ access_token: `t${n}`, expires_in: '50' }) }),
    });
    const other = open(brief.url);
    await other.prompt(PROMPT);
    await other.prompt(PROMPT);
    expect(brief.pushes.map(({ token }) => token)).toEqual(['t1', 't2']);
  });

  it.each([
    [404, '404.001.03'],
    [401, '401.003.01'],
    [400, '400.003.01'],
  ])('is sent again once with a new token if the old one is rejected (%i %s)', async (status, code) => {
    const server = await start({
      push: (n, { token }) => (token === 'token-1' ? refused(status, code, 'Invalid Access Token') : accepted(n)),
    });
    expect(await open(server.url).prompt(PROMPT)).toMatchObject({ requestId: 'ws_CO_2' });
    expect(server.tokens).toHaveLength(2);

    const rejecting = await start({ push: () => refused(status, code, 'Invalid Access Token') });
    expect((await failureOf(open(rejecting.url).prompt(PROMPT))).kind).toBe('rejected');
    expect(rejecting.pushes).toHaveLength(2);
  });
});

describe('a prompt was certainly not sent after', () => {
  it.each<[string, Reply, string, RegExp]>([
    [
      'a rejected field',
      refused(400, '400.002.02', 'Bad Request - Invalid PhoneNumber'),
      'rejected',
      /Invalid PhoneNumber/,
    ],
    [
      'a rejection with a 200',
      { body: JSON.stringify({ ResponseCode: '1', ResponseDescription: 'No' }) },
      'rejected',
      /: No$/,
    ],
    ['wrong credentials', refused(500, '500.001.1001', 'Wrong credentials'), 'rejected', /Wrong credentials/],
    [
      'a payer with another prompt',
      refused(
        500,
        '500.001.1001',
        'Unable to lock subscriber, a transaction is already in process for the current subscriber',
      ),
      'transient',
      /already in process/,
    ],
    ['too many at once', refused(429, '429.001', 'slow down', { 'retry-after': '7' }), 'throttled', /slow down/],
    ['a spike', refused(500, '500.003.02', 'Spike arrest violation'), 'throttled', /Spike/],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'rejected', /302/],
  ])('%s', async (_, reply, kind, words) => {
    const server = await start({ push: () => reply });

    const failure = await failureOf(open(server.url).prompt(PROMPT));

    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(words);
    expect(failure.retryAfterMs).toBe(reply.headers && 'retry-after' in reply.headers ? 7_000 : null);
    expect(server.pushes).toHaveLength(1);
  });

  it('a rejection, whose message contains no secrets', async () => {
    const server = await start({
      push: (_, { body, token }) =>
        refused(400, '400.002.02', `Invalid CallBackURL ${body.CallBackURL} of ${token}, pass-key ${body.Password}`),
    });

    const { message } = await failureOf(open(server.url).prompt(PROMPT));

    expect(message).not.toContain(server.pushes[0]?.body.Password);
    expect(message).toContain('Invalid CallBackURL https://jobs.example.com/base/webhooks/mpesa?');
    expect(message).not.toMatch(/a-long-enough-secret|token-1|pass-key/);
  });

  it('a refused request for a token, whose message contains no secrets', async () => {
    const basic = btoa('consumer:consumer-secret');
    const server = await start({ token: () => refused(400, '400.008.01', `Invalid Basic ${basic} consumer-secret`) });

    const { message } = await failureOf(open(server.url).prompt(PROMPT));

    expect(message).toContain('Invalid Basic *** ***');
  });

  it('a failed connection, or a failed request for a token', async () => {
    const noToken = await start({ token: () => ({ status: 401, body: '' }) });
    const broken = await start({ token: () => ({ status: 503, body: '<html>' }) });
    const hangUp = await startHangUp();
    ends.push(hangUp.close);

    expect((await failureOf(open(await closedUrl()).prompt(PROMPT))).kind).toBe('transient');
    expect((await failureOf(open(noToken.url).prompt(PROMPT))).kind).toBe('rejected');
    expect((await failureOf(open(broken.url).prompt(PROMPT))).kind).toBe('transient');
    expect((await failureOf(open(hangUp.url).prompt(PROMPT))).kind).toBe('transient');
    expect([...noToken.pushes, ...broken.pushes]).toEqual([]);
  });
});

describe('it is unknown whether a prompt was sent after', () => {
  it.each<[string, Reply]>([
    ['a gateway that gave up', { status: 504, body: '<html>Gateway Time-out</html>' }],
    ['another error', refused(500, '500.002.1001', 'Service is currently under maintenance')],
    ['a request that took too long', { status: 408 }],
    ['an invalid answer', { body: 'OK' }],
    ['an acceptance without an id', { body: JSON.stringify({ ResponseCode: '0' }) }],
  ])('%s', async (_, reply) => {
    const server = await start({ push: () => reply });

    expect((await failureOf(open(server.url).prompt(PROMPT))).kind).toBe('ambiguous');
    expect(server.pushes).toHaveLength(1);
  });

  it('a connection that breaks after the request was sent', async () => {
    const server = await start({ push: () => ({ delayMs: 60_000 }) });
    const asked = failureOf(open(server.url).prompt(PROMPT));
    await until('the prompt', () => server.pushes.length === 1);
    await server.close();

    expect((await asked).kind).toBe('ambiguous');
  });
});

describe('the status of an M-PESA prompt', () => {
  const query = async (reply: Reply) => open((await start({ query: () => reply })).url).query('ws_CO_1', never);

  it('is open while the payer has not answered', async () => {
    expect(await query(stillOpen)).toBeNull();
    expect(await query(ended('4999', 'The transaction is still under processing'))).toBeNull();
  });

  it('is paid or not, by the code and in the words of the provider', async () => {
    expect(await query(ended('0', 'The service request is processed successfully.'))).toEqual({
      status: 'paid',
      code: '0',
      message: 'The service request is processed successfully.',
      receipt: null,
      paidAt: null,
    });
    expect(await query(ended('1032', 'Request cancelled by user'))).toMatchObject({ status: 'failed', code: '1032' });
  });

  it.each<[Reply, string]>([
    [refused(400, '400.002.02', 'Bad Request - Invalid CheckoutRequestID'), 'rejected'],
    [refused(500, '500.003.02', 'Spike arrest violation'), 'transient'],
    [{ status: 502, body: '<html>' }, 'transient'],
    [{ body: '<html>' }, 'transient'],
  ])('is not derived from %j', async (reply, kind) => {
    expect((await failureOf(query(reply))).kind).toBe(kind);
  });
});

describe('an M-PESA report', () => {
  const read = (body: Uint8Array, query = `payment=${ID}`) =>
    paymentReports.get('mpesa')?.(body, new URLSearchParams(query));

  it('the report of a payment has its receipt number and time', () => {
    expect(read(callback('ws_CO_1'))).toEqual([
      {
        paymentId: ID,
        ids: { requestId: 'ws_CO_1', merchantRequestId: '29115-1' },
        outcome: {
          status: 'paid',
          code: '0',
          message: 'The service request is processed successfully.',
          receipt: 'NLJ7RT61SV',
          paidAt: new Date('2019-12-19T07:21:15Z'),
        },
      },
    ]);
  });

  it('the report of a failed payment has its code and message', () => {
    expect(read(callback('ws_CO_1', 1032))?.[0]?.outcome).toEqual({
      status: 'failed',
      code: '1032',
      message: 'Request cancelled by user',
      receipt: null,
      paidAt: null,
    });
  });

  it('without a valid id of ours is identified by the id of the provider', () => {
    expect(read(callback('ws_CO_1'), '')?.[0]).toMatchObject({ paymentId: null, ids: { requestId: 'ws_CO_1' } });
    expect(read(callback('ws_CO_1'), 'payment=7')?.[0]?.paymentId).toBeNull();
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"Body":null}',
    '{"Body":{"stkCallback":null}}',
    '{"Body":{"stkCallback":{"ResultCode":0}}}',
    '{"Body":{"stkCallback":{"CheckoutRequestID":"ws_CO_1"}}}',
    '{"Body":{"stkCallback":{"CheckoutRequestID":7,"ResultCode":0}}}',
  ])('is not read from %s', (text) => {
    expect(read(Buffer.from(text))).toBeNull();
  });

  it('with invalid details is read as far as possible', () => {
    const odd = {
      Item: [null, 7, { Name: 'MpesaReceiptNumber', Value: 5 }, { Name: 'TransactionDate', Value: 'soon' }],
    };
    expect(read(callback('ws_CO_1', 0, { CallbackMetadata: odd }))?.[0]?.outcome).toMatchObject({
      receipt: null,
      paidAt: null,
    });
    expect(read(callback('ws_CO_1', 0, { CallbackMetadata: null }))?.[0]?.outcome).toMatchObject({
      status: 'paid',
      receipt: null,
    });
  });
});
