import type { JobKey } from '@jobline/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';
import {
  accepted,
  ended,
  MPESA_SETTINGS,
  type MpesaBehavior,
  type MpesaServer,
  refused,
  startMpesa,
} from '../providers/mpesa-server.js';

const TERMS = { phone: '254708374149', amount: 100, ref: 'INV-1001' };

let world: World;
let person: Person;
let mpesa: MpesaServer;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(async () => {
  await mpesa?.close();
  await world.end();
});

async function start(behavior: MpesaBehavior = {}, more: Record<string, string> = {}) {
  mpesa = await startMpesa(behavior);
  const providers = { ...MPESA_SETTINGS, PAYMENTS_BASE_URL: mpesa.url, ...more };
  return (options = {}) => world.worker({ providers, ...options });
}

const ask = (more: object = { max_retries: 3 }) => runToEnd(person, 'mobile_money_stk', TERMS, more);

/** The payment that a dead attempt left, for a waiting job. */
async function leaveBehind(id: string, status: 'calling' | 'prompted' | 'paid') {
  const job = await world.db.job.findFirstOrThrow({ where: { id } });
  const isKnown = status !== 'calling';
  await world.db.payment.create({
    data: {
      id: '0193a6e1-5a3c-7c0a-9d5e-2f6d1c0b7a11',
      orgId: job.orgId,
      jobKey: job.key as JobKey, // keys are branded in our code alone
      provider: 'mpesa',
      ...TERMS,
      status,
      ...(isKnown && { requestId: 'ws_CO_1', merchantRequestId: '29115-1' }),
      ...(status === 'paid' && { resultCode: '0', resultMessage: 'Done.', receipt: 'NLJ7RT61SV' }),
      updatedAt: new Date(),
    },
  });
}

describe('a payer', () => {
  it('a payer gets one prompt, and the job is done with the ids of the prompt', async () => {
    const work = await start();
    await work();

    const story = await ask();

    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect(story.result.result).toEqual({
      provider: 'mpesa',
      checkout_request_id: 'ws_CO_1',
      merchant_request_id: '29115-1',
      payment: null,
    });
    expect(mpesa.pushes).toHaveLength(1);
    expect(mpesa.pushes[0]?.body).toMatchObject({
      Amount: 100,
      PhoneNumber: '254708374149',
      AccountReference: 'INV-1001',
    });
    expect(linesOf(story)).toContain('1 info mpesa: prompt ws_CO_1 was sent; the payer has not answered yet');
  });

  it('a retry sends another prompt if the provider said that none was sent', async () => {
    const work = await start({
      push: (n) =>
        n === 1 ? refused(429, '429.001', 'slow down') : n === 2 ? refused(400, '400.002.02', 'no') : accepted(n),
    });
    await work();

    const story = await ask();

    expect(story.job).toMatchObject({ status: 'done', retries: 2 });
    expect(story.result.result.checkout_request_id).toBe('ws_CO_3');
    expect(mpesa.pushes).toHaveLength(3);
  });

  it('a payment has the terms that its job was changed to after a rejected prompt', async () => {
    const work = await start({ push: (n) => (n === 1 ? refused(429, '429.001', 'slow down') : accepted(n)) });
    await work({ retryBaseMs: 3_600_000 });
    const id = await submitJob(person, 'mobile_money_stk', TERMS, { max_retries: 3 });
    await until(
      'the first attempt to fail',
      async () => (await world.db.job.count({ where: { id, status: 'pending', retries: 1 } })) === 1,
    );
    const changed = { phone: '254711000111', amount: 70, ref: 'INV-1002' };
    const answer = await person.patch(`/jobs/${id}`, { payload: changed, run_at: new Date().toISOString() });
    expect(answer.status, answer.text).toBe(200);

    expect((await finishedJob(person, id)).job.status).toBe('done');
    expect(await world.db.payment.findFirst({ where: { orgId: person.orgId } })).toMatchObject(changed);
  });

  it('the sandbox sends no prompt, and says so', async () => {
    await world.worker();

    const story = await ask();

    expect(story.result.result).toEqual({
      provider: 'sandbox',
      checkout_request_id: null,
      merchant_request_id: null,
      payment: null,
    });
    expect(linesOf(story)).toContain('1 info sandbox: the payment was checked; no prompt was sent');
  });
});

describe('a payment prompt that is being sent', () => {
  const slowly: MpesaBehavior = { push: (n) => ({ ...accepted(n), delayMs: 1_000 }) };

  it('a cancel during the call to the provider comes too late, and the job ends as without it', async () => {
    const work = await start(slowly);
    await work();
    const id = await submitJob(person, 'mobile_money_stk', TERMS);
    await until('the provider to be called', () => mpesa.pushes.length === 1);

    expect((await person.post(`/jobs/${id}/cancel`)).body.status).toBe('processing');

    const story = await finishedJob(person, id);
    expect(story.job.status).toBe('done');
    expect(story.result.result.checkout_request_id).toBe('ws_CO_1');
  });

  it('a worker that stops during the call to the provider records its result', async () => {
    const work = await start(slowly);
    const worker = await work();
    const id = await submitJob(person, 'mobile_money_stk', TERMS);
    await until('the provider to be called', () => mpesa.pushes.length === 1);

    await worker.stop(0);

    const story = await finishedJob(person, id);
    expect(story.job.status).toBe('done');
    expect(story.result.result.checkout_request_id).toBe('ws_CO_1');
  });
});

describe('no payer gets two prompts', () => {
  it.each([
    ['a call that was not answered in time', () => ({ delayMs: 60_000 })],
    ['a gateway that gave up', () => ({ status: 504, body: '<html>' })],
  ])('%s ends the job as unknown_effect, however many retries it has', async (_, push) => {
    const work = await start({ push }, { PAYMENTS_TIMEOUT_MS: '300' });
    await work();

    const story = await ask();

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toMatchObject({
      code: 'unknown_effect',
      message: expect.stringContaining('No attempt sends another prompt'),
    });
    expect(mpesa.pushes).toHaveLength(1);
  });

  it('a job whose earlier attempt died during its call ends as unknown_effect without a call, also after a manual retry', async () => {
    const work = await start();
    const id = await submitJob(person, 'mobile_money_stk', TERMS, { max_retries: 3 });
    await leaveBehind(id, 'calling');
    await work();

    const story = await finishedJob(person, id);
    expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
    await until(
      'its second end',
      async () => (await world.db.job.findFirst({ where: { id, attempt: 2 } }))?.status === 'failed',
    );

    expect(story.result.error.code).toBe('unknown_effect');
    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(mpesa.pushes).toEqual([]);
  });

  it.each([
    ['still open', undefined, null],
    ['paid', ended('0', 'Done.'), { status: 'paid', code: '0', message: 'Done.', receipt: null, paid_at: null }],
    [
      'refused by the payer',
      ended('1032', 'Cancelled'),
      { status: 'failed', code: '1032', message: 'Cancelled', receipt: null, paid_at: null },
    ],
  ])(
    "the status of an earlier attempt's prompt is requested, and no prompt is sent (%s)",
    async (_, reply, payment) => {
      const work = await start(reply ? { query: () => reply } : {});
      const id = await submitJob(person, 'mobile_money_stk', TERMS);
      await leaveBehind(id, 'prompted');
      await work();

      const story = await finishedJob(person, id);

      expect(story.result.result).toMatchObject({ checkout_request_id: 'ws_CO_1', payment });
      expect(story.job.status).toBe('done');
      expect(mpesa.queries[0]?.body).toMatchObject({ BusinessShortCode: '174379', CheckoutRequestID: 'ws_CO_1' });
      expect(mpesa.pushes).toEqual([]);
    },
  );

  it('a failed status request fails the attempt, and the next attempt repeats it', async () => {
    const work = await start({ query: (n) => (n === 1 ? { status: 502 } : ended('0', 'Done.')) });
    const id = await submitJob(person, 'mobile_money_stk', TERMS, { max_retries: 1 });
    await leaveBehind(id, 'prompted');
    await work();

    const story = await finishedJob(person, id);

    expect(story.job).toMatchObject({ status: 'done', retries: 1 });
    expect(story.result.result.payment.status).toBe('paid');
    expect(mpesa.pushes).toEqual([]);
  });

  it('a payment that was reported meanwhile is the result', async () => {
    const work = await start();
    const id = await submitJob(person, 'mobile_money_stk', TERMS);
    await leaveBehind(id, 'paid');
    await work();

    expect((await finishedJob(person, id)).result.result.payment).toMatchObject({
      status: 'paid',
      receipt: 'NLJ7RT61SV',
    });
    expect([...mpesa.pushes, ...mpesa.queries]).toEqual([]);
  });
});
