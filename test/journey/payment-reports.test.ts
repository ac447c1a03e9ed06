import type { JobKey, OrgId } from '@jobline/contracts';
import { deleteExpiredJobs } from '@jobline/db/job-transitions';
import { ProviderFailure } from '@jobline/handlers';
import { createPayments } from '@jobline/messaging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import {
  callback,
  ended,
  MPESA_SETTINGS,
  type MpesaBehavior,
  type MpesaServer,
  startMpesa,
} from '../providers/mpesa-server.js';

const TERMS = { phone: '254708374149', amount: 100, ref: 'INV-1001' };
const PAID = {
  status: 'paid',
  code: '0',
  message: 'The service request is processed successfully.',
  receipt: 'NLJ7RT61SV',
  paid_at: '2019-12-19T07:21:15.000Z',
};

let world: World;
let api: TestApi;
let person: Person;
let mpesa: MpesaServer;

beforeEach(async () => {
  world = await createWorld();
  const { PAYMENTS_WEBHOOK_SECRET } = MPESA_SETTINGS;
  api = await world.api({ settings: { callbacks: { PAYMENTS_WEBHOOK_SECRET } } });
  person = await register(api.call);
});
afterEach(async () => {
  await mpesa?.close();
  await world.end();
});

async function start(behavior: MpesaBehavior = {}, more: Record<string, string> = {}) {
  mpesa = await startMpesa(behavior);
  await world.worker({ providers: { ...MPESA_SETTINGS, PAYMENTS_BASE_URL: mpesa.url, ...more } });
}

const ask = (more: object = {}) => runToEnd(person, 'mobile_money_stk', TERMS, more);

/** M-PESA's request to the callback URL of the n-th prompt; the API is below PUBLIC_URL. */
async function report(body: Buffer, n = 0): Promise<void> {
  const { pathname, search } = new URL(mpesa.pushes[n]?.body.CallBackURL);
  expect((await post(body, pathname.replace('/base/', '/') + search)).status).toBe(200);
}

function post(body: Buffer, path: string): Promise<Answered> {
  return api.call('POST', path, { raw: new Uint8Array(body) });
}

describe('a payment report', () => {
  it('a report is added to the result of a done job, with one line in its log, however often it arrives', async () => {
    await start();
    const { job } = await ask();

    await report(callback('ws_CO_1'));
    await report(callback('ws_CO_1'));
    await report(callback('ws_CO_1', 1032));

    const story = await finishedJob(person, job.id);
    expect(story.result.result).toMatchObject({ checkout_request_id: 'ws_CO_1', payment: PAID });
    expect(story.job).toEqual(job);
    expect(linesOf(story).filter((line) => line.includes('paid'))).toEqual(['1 info mpesa: paid, receipt NLJ7RT61SV']);
  });

  it('a report that arrives before the response to the prompt is in the result too', async () => {
    let early: Promise<Answered> | undefined;
    await start({
      push: (n, { body }) => {
        early = post(callback(`ws_CO_${n}`), `/webhooks/mpesa${new URL(body.CallBackURL).search}`);
        return {
          delayMs: 1_000,
          body: JSON.stringify({ MerchantRequestID: '29115-1', CheckoutRequestID: `ws_CO_${n}`, ResponseCode: '0' }),
        };
      },
    });

    const story = await ask();

    expect((await early)?.body).toEqual({ received: 1, ResultCode: 0, ResultDesc: 'Accepted' });
    expect(story.result.result).toMatchObject({ checkout_request_id: 'ws_CO_1', payment: PAID });
  });

  it('a report that the payer refused is stored, until another report says that the payer paid', async () => {
    await start();
    const { job } = await ask();

    await report(callback('ws_CO_1', 1032));
    expect((await finishedJob(person, job.id)).result.result.payment).toMatchObject({ status: 'failed', code: '1032' });
    await report(callback('ws_CO_1'));
    expect((await finishedJob(person, job.id)).result.result.payment).toEqual(PAID);
  });

  it('a report shows the outcome of a job with an unknown effect, and a manual retry then uses it as its result', async () => {
    await start({ push: () => ({ status: 504 }) });
    const { job } = await ask();

    await report(callback('ws_CO_1'));
    const failed = await finishedJob(person, job.id);
    await person.post(`/jobs/${job.id}/retry`);
    const done = await until('the job to be done', async () => {
      const story = await finishedJob(person, job.id);
      return story.job.status === 'done' && story;
    });

    expect(failed.job.status).toBe('failed');
    expect(failed.result).toMatchObject({ error: { code: 'unknown_effect' }, result: { payment: PAID } });
    expect(done.result).toMatchObject({ error: null, result: { checkout_request_id: 'ws_CO_1', payment: PAID } });
    expect(mpesa.pushes).toHaveLength(1);
  });

  it('a report of an unknown prompt changes nothing', async () => {
    await start();
    const { job } = await ask();

    await report(callback('ws_CO_2'));
    const answer = await post(callback('ws_CO_9'), `/webhooks/mpesa?secret=${MPESA_SETTINGS.PAYMENTS_WEBHOOK_SECRET}`);

    expect(answer.status).toBe(200);
    expect((await finishedJob(person, job.id)).result.result.payment).toBeNull();
  });
});

describe('the request', () => {
  it.each([
    ['without the secret', ''],
    ['with another secret', '?secret=another-long-enough-one'],
    [
      'with two secrets',
      `?secret=${MPESA_SETTINGS.PAYMENTS_WEBHOOK_SECRET}&secret=${MPESA_SETTINGS.PAYMENTS_WEBHOOK_SECRET}`,
    ],
  ])('a payment report %s is refused, and changes nothing', async (_, query) => {
    await start();
    const { job } = await ask();

    expect((await post(callback('ws_CO_1'), `/webhooks/mpesa${query}`)).status).toBe(401);
    expect((await finishedJob(person, job.id)).result.result.payment).toBeNull();
  });

  it('a request that is not a payment report is answered with 400', async () => {
    const path = `/webhooks/mpesa?secret=${MPESA_SETTINGS.PAYMENTS_WEBHOOK_SECRET}`;

    expect((await post(Buffer.from('{"Body":{}}'), path)).status).toBe(400);
  });
});

describe('a payment whose report is missing', () => {
  it('a missing report is replaced by a status request, and a late report adds its receipt', async () => {
    await start({ query: () => ended('0', 'Done.') });
    const { job } = await ask();
    expect(await world.db.payment.count({ where: { checkAt: { gt: new Date(Date.now() + 60_000) } } })).toBe(1);

    await world.db.payment.updateMany({ data: { checkAt: new Date(0) } });
    const result = await until('the payment', async () => {
      const { body } = await person.get(`/jobs/${job.id}/result`);
      return body.result.payment && body.result;
    });
    expect(result.payment).toMatchObject({ status: 'paid', receipt: null });
    // The result of the job is written first.
    await until('no further check to follow', () => world.db.payment.count({ where: { checkAt: null } }));

    await report(callback('ws_CO_1'));
    expect((await finishedJob(person, job.id)).result.result.payment.receipt).toBe('NLJ7RT61SV');
    expect(mpesa.queries).toHaveLength(1);
  });

  it('an open prompt is checked again later', async () => {
    await start();
    await ask();

    await world.db.payment.updateMany({ data: { checkAt: new Date(0) } });
    await until('the status request', () => mpesa.queries.length === 1);
    await until('the check to be postponed', () =>
      world.db.payment.count({ where: { checkAt: { gt: new Date(Date.now() + 60_000) } } }),
    );

    expect(mpesa.queries).toHaveLength(1);
  });
});

it('one of many simultaneous attempts of a job sends the prompt, and the others end as unknown', async () => {
  const id = await submitJob(person, 'mobile_money_stk', TERMS);
  const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
  let asked = 0;
  const payments = createPayments({
    db: world.db,
    provider: {
      provider: 'mpesa',
      firstQueryMs: 90_000,
      async prompt() {
        asked++;
        await until('the others', async () => settled === 19);
        return { requestId: 'ws_CO_1', merchantRequestId: null };
      },
      query: async () => null,
    },
  });

  let settled = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      // The casts: ids and keys are branded only in our code.
      payments
        .request(person.orgId as OrgId, key as JobKey, TERMS, new AbortController().signal)
        .finally(() => settled++),
    ),
  );

  expect(asked).toBe(1);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  expect(new Set(codes)).toEqual(new Set(['unknown_effect']));
});

it('only the organization of a payment can read it', async () => {
  await start();
  const { job } = await ask();
  const { key } = await world.db.job.findFirstOrThrow({ where: { id: job.id } });
  const other = await register(api.call);
  const provider = {
    provider: 'mpesa',
    firstQueryMs: 90_000,
    prompt: async () => {
      throw new ProviderFailure('rejected', 'no prompt may be sent');
    },
    query: async () => null,
  };

  const asking = createPayments({ db: world.db, provider }).request(
    other.orgId as OrgId,
    key as JobKey,
    TERMS,
    new AbortController().signal,
  );

  await expect(asking).rejects.toThrow('another organization');
});

it('a payment is deleted with its job, not before', async () => {
  await start();
  const { job } = await ask();
  const { key } = await world.db.job.findFirstOrThrow({ where: { id: job.id } });

  expect(await deleteExpiredJobs(world.db, [key as JobKey], 30)).toBe(0);
  expect(await world.db.payment.count()).toBe(1);
  await world.db.job.updateMany({ data: { finishedAt: new Date(Date.now() - 31 * 86_400_000) } });
  expect(await deleteExpiredJobs(world.db, [key as JobKey], 30)).toBe(1);
  expect(await world.db.payment.count()).toBe(0);
});
