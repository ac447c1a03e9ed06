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

it('a worker that is killed amid a prompt leaves a payer who was asked once, and a job that says what nobody knows', async () => {
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
  await until('the payer to be asked', () => server.pushes.length === 1);

  await doomed.kill('SIGKILL');
  const heir = await spawnWorker(env);
  try {
    const story = await finishedJob(person, id);

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error.code).toBe('unknown_effect');
    expect(linesOf(story)).toContain('1 warn the worker died during attempt 1; the job is pending again');
    expect(server.pushes).toHaveLength(1);
  } finally {
    await heir.kill('SIGTERM');
  }
});

it.each([
  ['the row was written', 'INSERT INTO payments'],
  ['the answer was kept', 'UPDATE payments p SET request_id'],
])('Postgres failing to say that %s has nobody asked twice, and nothing forgotten', async (_, statement) => {
  const id = await submitJob(person, 'mobile_money_stk', { phone: '254708374149', amount: 100, ref: 'INV-1001' });
  const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
  const proxy = await startProxy(world.databaseUrl);
  const db = createDb({ url: proxy.url, poolSize: 2, onIdleError: () => undefined });
  let asked = 0;
  const provider = {
    provider: 'mpesa',
    prompt: async () => ({ requestId: `ws_CO_${++asked}`, merchantRequestId: null }),
    query: async () => null,
  };

  const lost = proxy.loseAnswerTo(statement);
  const payment = await createPayments({ db, provider }).request(
    // The casts: ids and keys are branded in our code alone.
    person.orgId as OrgId,
    key as JobKey,
    { phone: '254708374149', amount: 100, ref: 'INV-1001' },
    new AbortController().signal,
  );
  await lost;
  await db.$disconnect();
  await proxy.close();

  expect(asked).toBe(1);
  expect(payment).toEqual({ provider: 'mpesa', ids: { requestId: 'ws_CO_1', merchantRequestId: null }, outcome: null });
  expect(await world.db.payment.findMany()).toMatchObject([{ status: 'prompted', requestId: 'ws_CO_1' }]);
});

it('what a stalled attempt says late of its own refused call does not let another ask again', async () => {
  const id = await submitJob(person, 'mobile_money_stk', { phone: '254708374149', amount: 100, ref: 'INV-1001' });
  const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
  // The casts: ids and keys are branded in our code alone.
  const orgId = person.orgId as OrgId;
  const terms = { jobKey: key as JobKey, provider: 'mpesa', phone: '254708374149', amount: 100, ref: 'INV-1001' };
  const [first, second, third] = [newId(), newId(), newId()];

  await beginPayment(world.db, orgId, { ...terms, id: first });
  await recordRefused(world.db, orgId, first, 'busy');
  expect(await beginPayment(world.db, orgId, { ...terms, id: second })).toEqual({ mayCall: true, id: second });
  // It did not hear that its own was stored, and says it again.
  await recordRefused(world.db, orgId, first, 'busy');

  // Nor did the second hear that it may ask; the third is another attempt.
  expect(await beginPayment(world.db, orgId, { ...terms, id: second })).toEqual({ mayCall: true, id: second });
  const late = await beginPayment(world.db, orgId, { ...terms, id: third });
  expect(late).toMatchObject({ mayCall: false, row: { id: second, status: 'calling' } });
});
