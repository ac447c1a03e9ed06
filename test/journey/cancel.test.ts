import { createCatalogue, defineHandler, RetryLater } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  openRedis,
  type Person,
  register,
  submitJob,
  until,
  untilJobsGetEntries,
  type World,
  waitingEntries,
} from '../harness/index.js';

let world: World;
let person: Person;
/** The jobs whose handlers were started, in order. */
let started: string[];
let letGo: () => void;
let held: Promise<void>;

const catalogue = createCatalogue([
  defineHandler({
    type: 'obedient',
    async run(_payload, { idempotencyKey, signal }) {
      started.push(idempotencyKey);
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  }),
  defineHandler<{ end: 'return' | 'throw' }>({
    type: 'deaf',
    async run({ end }, { idempotencyKey, log }) {
      started.push(idempotencyKey);
      await held;
      log('info', 'let go');
      if (end === 'throw') throw new Error('its own fault');
      return 'its own result';
    },
  }),
  defineHandler<{ waitMs: number }>({
    type: 'later',
    async run({ waitMs }, { idempotencyKey }) {
      started.push(idempotencyKey);
      throw new RetryLater(waitMs, 'come back later');
    },
  }),
  defineHandler({
    type: 'brief',
    async run(_payload, { idempotencyKey }) {
      started.push(idempotencyKey);
    },
  }),
]);

beforeEach(async () => {
  started = [];
  held = new Promise((resolve) => {
    letGo = resolve;
  });
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(async () => {
  letGo();
  await world.end();
});

const cancel = (id: string) => person.post(`/jobs/${id}/cancel`);
const keyOf = async (id: string) => (await world.db.job.findFirstOrThrow({ where: { id } })).key;
const running = (count = 1) => until(`${count} to run`, () => started.length === count);

/** Requests the cancel as if its message had not reached the worker. */
async function cancelUnheard(id: string): Promise<void> {
  await world.db.job.update({ where: { key: await keyOf(id) }, data: { cancelRequestedAt: new Date() } });
}

async function expectCanceled(id: string): Promise<void> {
  const { job, result } = await finishedJob(person, id);
  expect(job.status).toBe('failed');
  expect(result.error.code).toBe('canceled');
}

describe('a pending job that is canceled never runs', () => {
  it('a canceled job never runs, whether it was scheduled, waiting or enqueued', async () => {
    await world.alone.worker({ catalogue, concurrency: 1, window: 5 });
    const runs = await submitJob(person, 'deaf', { end: 'return' });
    await running();
    const future = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
    const ids = [await submitJob(person, 'brief', {}, future)];
    // The first few are enqueued in Redis; the others wait in Postgres.
    const place = () => world.db.job.groupBy({ by: ['place'], where: { status: 'pending' } });
    await until('jobs in all three stages', async () => {
      ids.push(await submitJob(person, 'brief', {}));
      return (await place()).length === 3;
    });

    const answers = await Promise.all(ids.map((id) => cancel(id)));
    letGo();

    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status}`))).toEqual(new Set(['202 failed']));
    expect((await finishedJob(person, runs)).job.status).toBe('done');
    // A later job that runs shows that the canceled ones were skipped.
    await finishedJob(person, await submitJob(person, 'brief', {}));
    expect(started).toHaveLength(2);
  });

  it('a canceled job leaves no entry in its queue', async () => {
    const redis = openRedis(world.redisUrl);
    await submitJob(person, 'deaf', { end: 'return' });
    await world.alone.worker({ catalogue, concurrency: 1, window: 5 });
    await running();
    await untilJobsGetEntries();
    const ids = [await submitJob(person, 'brief', {}), await submitJob(person, 'brief', {})];
    const entries = async () => (await waitingEntries(redis, world.prefix)).length;
    await until('them to be in Redis', async () => (await entries()) === 2);

    for (const id of ids) await cancel(id);

    await until('the queue to be empty', async () => (await entries()) === 0);
    redis.disconnect();
  });

  it.each([
    ['Redis', 60_000],
    ['Postgres', 3_000_000],
  ])('a job is not retried if it is canceled while it waits for its re-run in %s', async (_where, waitMs) => {
    await world.worker({ catalogue });
    const id = await submitJob(person, 'later', { waitMs }, { max_retries: 3 });
    await until('it to wait', async () => (await person.get(`/jobs/${id}`)).body.retries === 1);

    expect((await cancel(id)).body).toEqual({ id, status: 'failed' });

    const story = await finishedJob(person, id);
    expect(story.result.error.code).toBe('canceled');
    expect(linesOf(story).at(-1)).toBe('1 warn the job was canceled');
    expect(started).toHaveLength(1);
  });

  it('a canceled job does not run even if its entry is delivered', async () => {
    const id = await submitJob(person, 'brief', {});
    await cancel(id);
    await world.addEntry(await keyOf(id), 7);

    await world.worker({ catalogue });
    await finishedJob(person, await submitJob(person, 'brief', {}));

    await expectCanceled(id);
    expect(started).toHaveLength(1);
  });
});

describe('a running job that is canceled', () => {
  it('a running job that is canceled gets its signal and ends as canceled, without a retry', async () => {
    // No heartbeat will find the cancel: only the message can.
    await world.worker({ catalogue, leaseMs: 600_000 });
    const id = await submitJob(person, 'obedient', {}, { max_retries: 3 });
    await running();

    expect((await cancel(id)).body).toEqual({ id, status: 'processing' });

    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toEqual({ code: 'canceled', message: 'the job was canceled' });
    expect(linesOf(story)).toEqual([
      '1 info attempt 1 started',
      '1 warn cancellation requested',
      '1 error attempt 1 canceled',
    ]);
    expect(started).toHaveLength(1);
  });

  it("the worker's heartbeat stops a canceled job if the message was lost", async () => {
    await world.worker({ catalogue, leaseMs: 500 });
    const id = await submitJob(person, 'obedient', {}, { max_retries: 3 });
    await running();

    await cancelUnheard(id);

    await expectCanceled(id);
  });

  it('the end of a canceled job is recorded although its handler ignores the signal', async () => {
    await world.worker({ catalogue, graceMs: 100 });
    const id = await submitJob(person, 'deaf', { end: 'return' }, { max_retries: 3 });
    await running();

    await cancel(id);

    await expectCanceled(id);
  });

  it('a canceled job is done if its handler finished its work in spite of the signal', async () => {
    await world.worker({ catalogue, leaseMs: 60_000 });
    const id = await submitJob(person, 'deaf', { end: 'return' });
    await running();

    await cancel(id);
    letGo();

    const story = await finishedJob(person, id);
    expect(story.job.status).toBe('done');
    expect(story.result).toMatchObject({ result: 'its own result', error: null });
  });

  it('a canceled job ends with its own failure, without a retry, if that came before the signal', async () => {
    await world.worker({ catalogue, leaseMs: 60_000 });
    const id = await submitJob(person, 'deaf', { end: 'throw' }, { max_retries: 3 });
    await running();

    await cancelUnheard(id);
    letGo();

    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error.code).toBe('handler_error');
    expect(linesOf(story)).toEqual([
      '1 info attempt 1 started',
      '1 info let go',
      '1 error attempt 1 failed: its own fault; no attempt follows',
    ]);
  });

  it('a running job may be canceled again, and a cancel after its end is a conflict', async () => {
    await world.worker({ catalogue, graceMs: 3_000 });
    const id = await submitJob(person, 'deaf', { end: 'return' });
    await running();

    expect([(await cancel(id)).status, (await cancel(id)).status]).toEqual([202, 202]);

    await expectCanceled(id);
    expect((await cancel(id)).status).toBe(409);
  });
});

it('a canceled job that is retried manually runs, and may be canceled again', async () => {
  await world.worker({ catalogue });
  const id = await submitJob(person, 'obedient', {});
  for (const runs of [1, 2]) {
    await running(runs);
    expect((await cancel(id)).status).toBe(202);
    await expectCanceled(id);
    if (runs === 1) expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
  }
});

it('each of 200 jobs that are canceled as they begin ends canceled or done, as its caller was answered', async () => {
  await world.worker({ catalogue, concurrency: 20 });

  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const id = await submitJob(person, n % 2 ? 'brief' : 'obedient', {}, { max_retries: 3 });
      // So that some jobs are claimed before they are canceled.
      for (let i = 0; i < n % 5; i++) await person.get(`/jobs/${id}`);
      return { id, answer: await cancel(id) };
    }),
  );

  for (const { id, answer } of answers) {
    const { job, result, logs } = await finishedJob(person, id);
    const how = `${answer.status} ${answer.body.status ?? ''} → ${result.error?.code ?? job.status}`;
    expect(['202 failed → canceled', '202 processing → canceled', '202 processing → done', '409  → done']).toContain(
      how,
    );
    const runs = started.filter((key) => key === id).length;
    expect(runs).toBeLessThanOrEqual(1);
    if (answer.body.status === 'failed') expect([runs, logs.length]).toEqual([0, 1]);
    if (job.status === 'done') expect(runs).toBe(1);
  }
});
