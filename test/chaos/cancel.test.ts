import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  createWorld,
  finishedJob,
  linesOf,
  type OwnRedis,
  type Person,
  register,
  spawnWorker,
  startOwnRedis,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let redis: OwnRedis;
let workers: AppProcess[];
let api: TestApi;
let other: TestApi;
let person: Person;

beforeEach(async () => {
  workers = [];
  world = await createWorld();
  redis = await startOwnRedis();
  const place = { redisUrl: redis.url, prefix: 'jobline' };
  api = await world.api(place);
  other = await world.api(place);
  person = await register(api.call);
});
afterEach(async () => {
  for (const worker of workers) await worker.kill('SIGTERM');
  await world.end();
  await redis.end();
});

it('200 running jobs, spread over two worker processes and canceled by way of two APIs, have all stopped within seconds', async () => {
  const receiver = await world.receiver(({ text }) => (text.includes('quick') ? {} : { delayMs: 120_000 }));
  for (let n = 0; n < 2; n++) {
    workers.push(
      await spawnWorker({
        DATABASE_URL: world.databaseUrl,
        REDIS_URL: redis.url,
        OUTBOUND_ALLOW_HOSTS: receiver.host,
        WORKER_QUEUES: 'io:110',
        // So that only word of the cancels can be in time.
        WORKER_LEASE_MS: '600000',
      }),
    );
  }
  const submit = (payload: object) => submitJob(person, 'webhook', { url: receiver.url, payload }, { max_retries: 3 });
  await until('both to live', async () => (await world.db.worker.count()) === 2);
  const finished = await submit({ how: 'quick' });
  await finishedJob(person, finished);
  const ids = await Promise.all(Array.from({ length: 200 }, (_, n) => submit({ n })));
  await until('all to run', () => receiver.received.length === 201);
  const spread = await world.db.job.groupBy({ by: ['workerId'], where: { status: 'processing' } });

  const askedAt = performance.now();
  const cancel = (by: TestApi, id: string) => by.call('POST', `/jobs/${id}/cancel`, { token: person.token });
  const answers = await Promise.all([...ids, finished].map((id, n) => cancel(n % 2 ? api : other, id)));
  await until(
    'all to have stopped',
    async () => (await world.db.job.count({ where: { errorCode: 'canceled' } })) === 200,
  );
  const stoppedMs = performance.now() - askedAt;

  expect(spread).toHaveLength(2);
  expect(answers.map(({ status }) => status)).toEqual([...ids.map(() => 202), 409]);
  expect(stoppedMs).toBeLessThan(5_000);
  expect((await finishedJob(person, finished)).job.status).toBe('done');
  const story = await finishedJob(person, ids[0] ?? '');
  expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(linesOf(story).at(-1)).toBe('1 error attempt 1 failed: the job was canceled; no attempt follows');
  // Nobody called again: no job was run once more.
  expect(receiver.received).toHaveLength(201);
}, 90_000);
