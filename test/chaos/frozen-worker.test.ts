import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  createWorld,
  finishedJob,
  linesOf,
  type OwnRedis,
  type Person,
  type Reply,
  register,
  spawnWorker,
  startOwnRedis,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let redis: OwnRedis;
let person: Person;
let workers: AppProcess[];

beforeEach(async () => {
  workers = [];
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
});
afterEach(async () => {
  for (const worker of workers) await worker.kill('SIGTERM');
  await world.end();
  await redis.end();
});

it('a worker that was frozen until its jobs were finished elsewhere changes nothing, and runs new jobs', async () => {
  // The first calls hang until another worker has replaced theirs. The calls of the second worker are answered
  // immediately.
  let isBlocked = true;
  let answerBlocked: () => void = () => undefined;
  const late = new Promise<Reply>((resolve) => {
    answerBlocked = () => resolve({});
  });
  const receiver = await world.receiver((_, n) => (isBlocked ? late : { body: `${n}` }));
  const start = async () => {
    const worker = await spawnWorker({
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: redis.url,
      OUTBOUND_ALLOW_HOSTS: receiver.host,
      WORKER_LEASE_MS: '1500',
    });
    workers.push(worker);
    return worker;
  };
  const frozen = await start();
  const ids = await Promise.all(
    Array.from({ length: 50 }, (_, n) => submitJob(person, 'webhook', { url: receiver.url, payload: { n } })),
  );
  await until('all jobs to run', () => receiver.received.length === 50);

  frozen.freeze();
  isBlocked = false;
  await start();
  const stories = [];
  for (const id of ids) stories.push(await finishedJob(person, id));
  answerBlocked();
  frozen.thaw();
  await until('it to notice', () => frozen.output().includes('lease lost'));
  await until('it to be registered again', async () => (await world.db.worker.count()) === 2);

  for (const before of stories) {
    const after = await finishedJob(person, before.job.id);
    expect(after).toEqual(before);
    expect(linesOf(after).filter((line) => /succeeded|failed/.test(line))).toHaveLength(1);
    expect(after.job).toMatchObject({ status: 'done', retries: 0 });
  }
  const later = await Promise.all(
    Array.from({ length: 50 }, (_, n) => submitJob(person, 'webhook', { url: receiver.url, payload: { n } })),
  );
  for (const id of later) expect((await finishedJob(person, id)).job.status).toBe('done');
});
