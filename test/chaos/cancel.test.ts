import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** One handler that never ends by itself, and one that ends immediately. */
const HANDLERS = {
  'endless.mjs': `
    export default {
      type: 'endless',
      timeoutMs: 86_400_000,
      run(_payload, { log, signal }) {
        log('info', 'runs until it is canceled');
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };`,
  'brief.mjs': "export default { type: 'brief', run: async () => null };",
};

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

it('200 running jobs on two worker processes all stop when they are canceled through two APIs', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-handlers-'));
  for (const [name, text] of Object.entries(HANDLERS)) await writeFile(join(dir, name), text);
  for (let n = 0; n < 2; n++) {
    workers.push(
      await spawnWorker({
        DATABASE_URL: world.databaseUrl,
        REDIS_URL: redis.url,
        HANDLERS_DIR: dir,
        WORKER_QUEUES: 'io:115',
        // Heartbeats are too rare to stop the runs in time, so only the published cancellations can.
        WORKER_LEASE_MS: '600000',
      }),
    );
  }
  await until('both workers to be registered', async () => (await world.db.worker.count()) === 2);
  await rm(dir, { recursive: true });
  const finished = await submitJob(person, 'brief', {});
  await finishedJob(person, finished);
  const ids = await Promise.all(
    Array.from({ length: 200 }, () => submitJob(person, 'endless', {}, { max_retries: 3 })),
  );
  const running = () => world.db.jobLog.count({ where: { message: 'runs until it is canceled' } });
  await until('all jobs to run', async () => (await running()) === 200);
  const spread = await world.db.job.groupBy({ by: ['workerId'], where: { status: 'processing' } });

  const cancel = (by: TestApi, id: string) => by.call('POST', `/jobs/${id}/cancel`, { token: person.token });
  const answers = await Promise.all([...ids, finished].map((id, n) => cancel(n % 2 ? api : other, id)));
  await until(
    'all jobs to have stopped',
    async () => (await world.db.job.count({ where: { errorCode: 'canceled' } })) === 200,
  );

  expect(spread).toHaveLength(2);
  expect(answers.map(({ status }) => status)).toEqual([...ids.map(() => 202), 409]);
  expect((await finishedJob(person, finished)).job.status).toBe('done');
  const story = await finishedJob(person, ids[0] ?? '');
  expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(linesOf(story).at(-1)).toBe('1 error attempt 1 canceled');
  // No job ran again.
  expect(await running()).toBe(200);
});
