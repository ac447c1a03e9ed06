import { readBacklog } from '@jobline/db';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  openRedis,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  untilJobsGetEntries,
  type World,
} from '../harness/index.js';

let world: World;
let api: TestApi;
let person: Person;
let runs: string[];

/** A handler that notes the worker that ran it. */
const noting = (worker: string, type: string, queue: string) =>
  defineHandler({
    type,
    queue,
    async run(_payload, { idempotencyKey }) {
      runs.push(idempotencyKey);
      return worker;
    },
  });
const reports = (worker = 'reports') => createCatalogue([noting(worker, 'report', 'big-reports')]);

beforeEach(async () => {
  runs = [];
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterEach(() => world.end());

const submitMany = (type: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => submitJob(person, type, {})));

async function resultsOf(ids: readonly string[]): Promise<Set<unknown>> {
  const stories = await Promise.all(ids.map((id) => finishedJob(person, id)));
  expect(stories.map(({ job }) => job.status)).toEqual(ids.map(() => 'done'));
  return new Set(stories.map(({ result }) => result.result));
}

async function deleteEntries(queue: string): Promise<void> {
  const redis = openRedis(world.redisUrl);
  try {
    const keys = await redis.keys(`{${world.prefix}-${queue}}*`);
    expect(keys.length).toBeGreaterThan(0);
    await redis.del(...keys);
  } finally {
    redis.disconnect();
  }
}

it('jobs of a queue with any name wait while no worker takes it, survive the loss of Redis, and run once', async () => {
  const first = await world.worker({ catalogue: reports(), queues: ['big-reports'] });
  await resultsOf(await submitMany('report', 1));
  await untilJobsGetEntries();
  await first.stop();
  await world.worker({ catalogue: createCatalogue([noting('io', 'mail', 'io')]), queues: ['io'] });
  // More than Redis takes while no worker takes the queue: the others wait in Postgres.
  const ids = await submitMany('report', 130);
  expect(await resultsOf(await submitMany('mail', 1))).toEqual(new Set(['io']));
  const { rows } = await countByStage();
  expect(rows).toEqual({ enqueued: expect.any(Number), waiting: expect.any(Number) });

  const [metrics] = (await readBacklog(world.hot, ['io'])).filter(({ queue }) => queue === 'big-reports');
  expect(metrics?.waiting).toBe(130);

  await deleteEntries('big_reports');
  runs = [];
  await world.worker({ catalogue: reports(), queues: ['big-reports'] });

  expect(await resultsOf(ids)).toEqual(new Set(['reports']));
  expect([...runs].sort()).toEqual([...new Set(runs)].sort());
  expect(runs).toHaveLength(130);
});

async function countByStage() {
  const found = await world.db.$queryRaw<{ stage: string; n: number }[]>`
    SELECT place::text AS stage, count(*)::int AS n FROM live_jobs
    WHERE queue = 'big-reports' AND status = 'pending' GROUP BY 1`;
  return { rows: Object.fromEntries(found.map(({ stage, n }) => [stage, n])) };
}

it('a worker takes only the types of WORKER_TYPES; the others of its queue run on another worker', async () => {
  const catalogue = (worker: string) =>
    createCatalogue(['report.day', 'report.month', 'mail'].map((type) => noting(worker, type, 'io')));
  await world.worker({ catalogue: catalogue('reports'), queues: ['io'], types: ['report.*'] });
  const mailWorker = await world.worker({ catalogue: catalogue('mail'), queues: ['io'], types: ['mail'] });

  expect(await resultsOf([...(await submitMany('report.day', 10)), ...(await submitMany('report.month', 10))])).toEqual(
    new Set(['reports']),
  );
  expect(await resultsOf(await submitMany('mail', 10))).toEqual(new Set(['mail']));

  await mailWorker.stop();
  const [left = ''] = await submitMany('mail', 1);
  await submitMany('report.day', 1).then(resultsOf);
  expect((await person.get(`/jobs/${left}`)).body).toMatchObject({ status: 'pending', retries: 0 });
});

it('deliveries of events do not depend on the types that a worker takes', async () => {
  const receiver = await world.receiver();
  await world.worker({ catalogue: reports(), types: ['report'], allowHosts: [receiver.host] });
  await person.post('/org/webhooks', { url: receiver.url, events: ['job.done'] });

  await resultsOf(await submitMany('report', 1));

  await until('the event to be delivered', () => receiver.received.length === 1);
});
