import type { JobKey, OrgId } from '@jobline/contracts';
import { beginPayment, createDb, recordRefused } from '@jobline/db';
import { createPayments } from '@jobline/messaging';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type OwnRedis,
  type Person,
  register,
  spawnWorker,
  startOwnRedis,
  startProxy,
  submitJob,
  until,
  type World,
} from '../harness/index.js';
import { accepted, MPESA_SETTINGS, type MpesaServer, startMpesa } from '../providers/mpesa-server.js';

let world: World;
let redis: OwnRedis;
let person: Person;
let mpesa: MpesaServer | undefined;

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
});
afterEach(async () => {
  await mpesa?.close();
  mpesa = undefined;
  await world.end();
  await redis.end();
});

it('a payer is prompted once if the worker is killed during the prompt; the job fails as unknown_effect', async () => {
  const server = await startMpesa({ push: (n) => ({ ...accepted(n), delayMs: 60_000 }) });
  mpesa = server;
  const env = {
    ...MPESA_SETTINGS,
    PAYMENTS_BASE_URL: server.url,
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    WORKER_QUEUES: 'io:5',
    WORKER_LEASE_MS: '1500',
  };
  const doomed = await spawnWorker(env);
  const terms = { phone: '254708374149', amount: 100, ref: 'INV-1001' };
  const id = await submitJob(person, 'mobile_money_stk', terms, { max_retries: 5 });
  await until('the payer to be prompted', () => server.pushes.length === 1);

  await doomed.kill('SIGKILL');
  const successor = await spawnWorker(env);
  try {
    const story = await finishedJob(person, id);

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error.code).toBe('unknown_effect');
    expect(linesOf(story)).toContain('1 warn the worker died during attempt 1; the job is pending again');
    expect(server.pushes).toHaveLength(1);
  } finally {
    await successor.kill('SIGTERM');
  }
});

it.each([
  ['the row was written', 'INSERT INTO payments'],
  ['the answer was stored', 'UPDATE payments p SET request_id'],
])(
  'a payer is prompted once, and the prompt is recorded, if Postgres does not confirm that %s',
  async (_, statement) => {
    const id = await submitJob(person, 'mobile_money_stk', { phone: '254708374149', amount: 100, ref: 'INV-1001' });
    const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
    const proxy = await startProxy(world.databaseUrl);
    const db = createDb({ url: proxy.url, poolSize: 2, onIdleError: () => undefined });
    let prompted = 0;
    const provider = {
      provider: 'mpesa',
      firstQueryMs: 90_000,
      prompt: async () => ({ requestId: `ws_CO_${++prompted}`, merchantRequestId: null }),
      query: async () => null,
    };

    const lost = proxy.loseAnswerTo(statement);
    const payment = await createPayments({ db, provider }).request(
      // The casts: ids and keys have a brand only in our types.
      person.orgId as OrgId,
      key as JobKey,
      { phone: '254708374149', amount: 100, ref: 'INV-1001' },
      new AbortController().signal,
    );
    await lost;
    await db.$disconnect();
    await proxy.close();

    expect(prompted).toBe(1);
    expect(payment).toEqual({
      provider: 'mpesa',
      ids: { requestId: 'ws_CO_1', merchantRequestId: null },
      outcome: null,
    });
    expect(await world.db.payment.findMany()).toMatchObject([{ status: 'prompted', requestId: 'ws_CO_1' }]);
  },
);

it('a late record of a refused prompt does not allow another attempt to prompt again', async () => {
  const id = await submitJob(person, 'mobile_money_stk', { phone: '254708374149', amount: 100, ref: 'INV-1001' });
  const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
  // The casts: ids and keys have a brand only in our types.
  const orgId = person.orgId as OrgId;
  const terms = { jobKey: key as JobKey, provider: 'mpesa', phone: '254708374149', amount: 100, ref: 'INV-1001' };
  const [first, second, third] = [newId(), newId(), newId()];

  await beginPayment(world.db, orgId, { ...terms, id: first });
  await recordRefused(world.db, orgId, first, 'busy');
  expect(await beginPayment(world.db, orgId, { ...terms, id: second })).toEqual({ mayCall: true, id: second });
  // The first attempt did not get the answer to its record, and repeats it.
  await recordRefused(world.db, orgId, first, 'busy');

  // The second attempt did not get the answer either, and repeats its request. The third one is another attempt.
  expect(await beginPayment(world.db, orgId, { ...terms, id: second })).toEqual({ mayCall: true, id: second });
  const late = await beginPayment(world.db, orgId, { ...terms, id: third });
  expect(late).toMatchObject({ mayCall: false, row: { id: second, status: 'calling' } });
});
