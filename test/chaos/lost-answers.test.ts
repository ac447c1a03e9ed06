import { claimJobs } from '@jobline/db/job-transitions';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type OwnRedis,
  type Person,
  register,
  type ServiceProxy,
  startOwnRedis,
  startProxy,
  submitJob,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
let runs: string[];
let ends: (() => Promise<void>)[];
/** Called by the handler while it runs. */
let during: () => Promise<void>;

const catalogue = createCatalogue([
  defineHandler({
    type: 'traced',
    async run(_payload, { idempotencyKey }) {
      runs.push(idempotencyKey);
      await during();
      return { run: runs.length };
    },
  }),
]);

beforeEach(async () => {
  runs = [];
  ends = [];
  during = async () => undefined;
  world = await createWorld();
});
afterEach(async () => {
  await world.end();
  for (const end of ends) await end();
});

async function proxy(): Promise<ServiceProxy> {
  const started = await startProxy(world.databaseUrl);
  ends.push(started.close);
  return started;
}

async function ownRedis(): Promise<OwnRedis> {
  const redis = await startOwnRedis();
  ends.push(redis.end);
  return redis;
}

describe('two deliveries of one job', () => {
  it('in one batch lead to exactly one claim', async () => {
    person = await register((await world.api()).call);
    await submitJob(person, 'traced', {});
    const { key } = await world.db.job.findFirstOrThrow();
    const worker = {
      id: '00000000-0000-4000-8000-000000000001',
      types: ['traced'],
      leaseMs: 60_000,
      capacity: { crashedOnce: 1, isolated: 1 },
    };
    await world.db.worker.create({
      data: { id: worker.id, name: 'test', types: ['traced'], queues: ['io'], concurrency: [1] },
    });
    const tokens = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000010${n}`);

    // The cast: the key was read from the table of jobs.
    const answers = await claimJobs(
      world.hot,
      worker,
      tokens.map((token) => ({ key: key as never, token })),
    );

    expect(answers.map(({ kind }) => kind).sort()).toEqual(['claimed', 'gone', 'gone']);
    const index = answers.findIndex(({ kind }) => kind === 'claimed');
    expect(answers[index]).toMatchObject({ claim: { token: tokens[index], attempt: 1 } });
    expect((await world.db.job.findFirstOrThrow()).claimToken).toBe(tokens[index]);
    expect(await world.db.jobLog.count()).toBe(1);
  });

  it('by the queue lead to one run', async () => {
    person = await register((await world.api()).call);
    const id = await submitJob(person, 'traced', {});
    const { key } = await world.db.job.findFirstOrThrow();
    for (let seq = 2; seq <= 30; seq++) await world.addEntry(key, seq);

    await world.worker({ catalogue });
    const story = await finishedJob(person, id);

    expect(runs).toEqual([key]);
    expect(story.logs).toHaveLength(2);
  });
});

it('a job is released and runs once if the answer to its claim was lost', async () => {
  const { url, loseAnswerTo } = await proxy();
  person = await register((await world.api()).call);
  const worker = await world.worker({ catalogue, databaseUrl: url, leaseMs: 10_000 });
  const released: number[] = [];
  worker.events.on('runs.released', ({ count }) => released.push(count));

  const lost = loseAnswerTo("SET status = 'processing'");
  const id = await submitJob(person, 'traced', {});
  await lost;
  const story = await finishedJob(person, id);

  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(released).toEqual([1]);
  expect(runs).toHaveLength(1);
  expect(linesOf(story)).toEqual([
    '1 info attempt 1 started',
    '1 info attempt 1 released: the answer to its claim was lost',
    '2 info attempt 2 started',
    expect.stringMatching(/^2 info attempt 2 succeeded/),
  ]);
});

it('a worker whose registration was committed but not answered works under the same identity', async () => {
  const { url, loseAnswerTo } = await proxy();
  person = await register((await world.api()).call);
  const lost = loseAnswerTo('INSERT INTO workers');
  await world.alone.worker({ catalogue, databaseUrl: url, leaseMs: 2_000 });
  await lost;
  const [committed] = await world.db.worker.findMany();

  await finishedJob(person, await submitJob(person, 'traced', {}));

  expect(await world.db.worker.findMany({ select: { id: true } })).toEqual([{ id: committed?.id }]);
  expect(runs).toHaveLength(1);
});

it('an outcome is recorded once if the answer to its statement was lost, and the job does not run again', async () => {
  const { url, loseAnswerTo } = await proxy();
  person = await register((await world.api()).call);
  await world.worker({ catalogue, databaseUrl: url, leaseMs: 10_000 });

  const lost = loseAnswerTo('counts_retry');
  const id = await submitJob(person, 'traced', {});
  await lost;
  const story = await finishedJob(person, id);

  expect(runs).toHaveLength(1);
  expect(linesOf(story)).toEqual(['1 info attempt 1 started', expect.stringMatching(/^1 info attempt 1 succeeded/)]);
});

it('a submission whose answer was lost is stored once at most', async () => {
  const { url, loseAnswerTo } = await proxy();
  person = await register((await world.api()).call);
  const api = await world.api({ databaseUrl: url });
  await world.worker({ catalogue });
  const body = { id: 'mine', type: 'traced', payload: {} };

  const lost = loseAnswerTo('INSERT INTO submitted_jobs');
  const first = await api.call('POST', '/jobs', { token: person.token, body });
  await lost;
  const again = await api.call('POST', '/jobs', { token: person.token, body });

  expect([202, 503]).toContain(first.status);
  expect([again.status, again.body.id]).toEqual([202, 'mine']);
  await finishedJob(person, 'mine');
  expect(runs).toHaveLength(1);
});

it('a batch is answered with 503 if the answer to its COMMIT was lost, and stored once when it is sent again', async () => {
  const { url, loseAnswerTo } = await proxy();
  person = await register((await world.api()).call);
  const api = await world.api({ databaseUrl: url });
  const body = { jobs: [{ id: 'mine', type: 'traced', payload: {} }] };

  const lost = loseAnswerTo('COMMIT');
  const first = await api.call('POST', '/jobs/batch', { token: person.token, body });
  await lost;
  const again = await api.call('POST', '/jobs/batch', { token: person.token, body });

  expect([first.status, first.headers.has('retry-after'), first.body.error?.code]).toEqual([503, true, 'unavailable']);
  expect([again.status, again.body.jobs?.[0].id]).toEqual([202, 'mine']);
  expect(await world.db.job.count()).toBe(1);
});

it('a job is retried even if BullMQ rejects its outcome because the entry is missing', async () => {
  const redis = await ownRedis();
  person = await register((await world.api({ redisUrl: redis.url })).call);
  await world.worker({ catalogue, redisUrl: redis.url, retryBaseMs: 300 });
  during = async () => {
    if (runs.length > 1) return;
    await redis.flushAll();
    throw new Error('the entry is missing now');
  };

  const story = await finishedJob(person, await submitJob(person, 'traced', {}, { max_retries: 1 }));

  expect(story.job).toMatchObject({ status: 'done', retries: 1 });
  expect(runs).toHaveLength(2);
});

it('a job that was stored but not enqueued, because its API process died in between, runs', async () => {
  person = await register((await world.api()).call);
  await world.worker({ catalogue });
  const key = '01a1fd00-0000-7000-8000-000000000001';
  const now = new Date(Date.now() - 5_000);
  await world.db.job.create({
    data: {
      key,
      orgId: person.orgId,
      id: 'orphan',
      type: 'traced',
      queue: 'io',
      payload: {},
      place: 'enqueued',
      enqueueSeq: 1,
      enqueuedAt: now,
      runAt: now,
      createdAt: now,
      updatedAt: now,
    },
  });

  const story = await finishedJob(person, 'orphan');

  expect(story.job.status).toBe('done');
  expect(runs).toEqual([key]);
});

it('a job of a queue that no worker takes does not delay the repair of other jobs', async () => {
  person = await register((await world.api()).call);
  const now = new Date(Date.now() - 5_000);
  const orphaned = (n: number, queue: string) => ({
    key: `01a1fd00-0000-7000-8000-00000000000${n}`,
    orgId: person.orgId,
    id: queue,
    type: 'traced',
    queue,
    payload: {},
    status: 'processing' as const,
    place: 'enqueued' as const,
    attempt: 1,
    enqueueSeq: 1,
    enqueuedAt: now,
    claimToken: `00000000-0000-4000-8000-00000000000${n}`,
    workerId: '00000000-0000-4000-8000-000000000009',
    runAt: now,
    createdAt: now,
    updatedAt: now,
  });
  await world.db.job.createMany({ data: [orphaned(1, 'gpu'), orphaned(2, 'io')] });

  await world.worker({ catalogue, leaseMs: 1_000 });

  expect((await finishedJob(person, 'io')).job.status).toBe('done');
  await submitJob(person, 'traced', {}, { id: 'after' });
  await finishedJob(person, 'after');
  expect(await world.db.job.findFirst({ where: { id: 'gpu' } })).toMatchObject({ status: 'pending', enqueueSeq: 2 });
});
