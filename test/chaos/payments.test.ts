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
  submitJob,
  until,
  type World,
} from '../harness/index.js';
import { accepted, MPESA_SETTINGS, type MpesaServer, startMpesa } from '../providers/mpesa-server.js';

let world: World;
let redis: OwnRedis;
let person: Person;
let mpesa: MpesaServer;

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
});
afterEach(async () => {
  await mpesa.close();
  await world.end();
  await redis.end();
});

it('a worker that is killed amid a prompt leaves a payer who was asked once, and a job that says what nobody knows', async () => {
  mpesa = await startMpesa({ push: (n) => ({ ...accepted(n), delayMs: 60_000 }) });
  const env = {
    ...MPESA_SETTINGS,
    PAYMENTS_BASE_URL: mpesa.url,
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    WORKER_QUEUES: 'io:5',
    WORKER_LEASE_MS: '1500',
  };
  const doomed = await spawnWorker(env);
  const terms = { phone: '254708374149', amount: 100, ref: 'INV-1001' };
  const id = await submitJob(person, 'mobile_money_stk', terms, { max_retries: 5 });
  await until('the payer to be asked', () => mpesa.pushes.length === 1);

  await doomed.kill('SIGKILL');
  const heir = await spawnWorker(env);
  try {
    const story = await finishedJob(person, id);

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error.code).toBe('unknown_effect');
    expect(linesOf(story)).toContain('1 warn the worker was lost during attempt 1; the job is taken over');
    expect(mpesa.pushes).toHaveLength(1);
  } finally {
    await heir.kill('SIGTERM');
  }
}, 60_000);
