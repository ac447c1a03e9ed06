import { expect, it } from 'vitest';
import { createWorld, register, spawnWorker, startOwnRedis, submitJob, until } from '../harness/index.js';
import { AFTER, runOutage } from './provider-outage.js';

const CONCURRENCY = 5;

/** The long form is in test/long/provider-outage.test.ts. */
it('a provider that is down gets few attempts, no job fails, and jobs under another limit run meanwhile', async () => {
  const { attempts, probes } = await runOutage({ jobs: 300, concurrency: CONCURRENCY, probes: 2 });

  expect(attempts).toBeGreaterThan(AFTER);
  expect(attempts).toBeLessThanOrEqual(AFTER + CONCURRENCY + probes);
});

it('a probe whose worker is killed is followed by the next', async () => {
  const world = await createWorld();
  const redis = await startOwnRedis();
  let state: 'down' | 'silent' | 'up' = 'down';
  const receiver = await world.receiver(() =>
    state === 'silent' ? { delayMs: 600_000 } : { status: state === 'up' ? 200 : 503 },
  );
  const person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
  await person.put('/org/limits/provider', { types: ['webhook'], hold: { after: 1, probe_seconds: 5 } });
  const env = {
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    OUTBOUND_ALLOW_HOSTS: receiver.host,
    WORKER_LEASE_MS: '1500',
    RETRY_BASE_MS: '10',
  };
  const submit = () => submitJob(person, 'webhook', { url: receiver.url, payload: {} }, { max_retries: 3 });
  const doomed = await spawnWorker(env);
  await submit();
  await until('the limit to hold itself', async () => (await person.get('/org/limits')).body[0].held_since);
  state = 'silent';
  await submit();
  await until('a probe to run', () => receiver.received.length === 2);

  await doomed.kill('SIGKILL');
  state = 'up';
  const successor = await spawnWorker(env);
  try {
    await until('all to be done', async () => (await world.db.job.count({ where: { status: 'done' } })) === 2);
    expect((await person.get('/org/limits')).body[0].held_since).toBeNull();
  } finally {
    await successor.kill('SIGTERM');
    await world.end();
    await redis.end();
  }
});
