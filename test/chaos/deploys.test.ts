import { createCatalogue, defineHandler, type Handler } from '@jobline/handlers';
import type { RunningWorker } from '@jobline/worker/start';
import Joi from 'joi';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  type Story,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import { countFinished, switchAndRollBack } from './deploy-traffic.js';

const JOBS = 30;

let world: World;
let api: TestApi;
let person: Person;
let workers: RunningWorker[] = [];
beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});
afterAll(() => world.end());

type Options = Parameters<World['worker']>[0];

async function start(handlers: readonly Handler[], options: Options = {}): Promise<RunningWorker> {
  const worker = await world.alone.worker({ catalogue: createCatalogue(handlers), queues: ['io'], ...options });
  workers.push(worker);
  return worker;
}

/** A version of a handler, which accepts only payloads with its field, and returns the name of the field. */
function version(field: string, own: Partial<Handler> = {}): Handler {
  const run = async () => field;
  return defineHandler({ type: 'invoice', schema: Joi.object({ [field]: Joi.any().required() }), run, ...own });
}

function submitMany(count: number, payloadOf: (n: number) => object, more: object = {}): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, (_, n) => submitJob(person, 'invoice', payloadOf(n), { max_retries: 3, ...more })),
  );
}

/** Until the jobs have run: their only attempt is the one that the right worker made, and their logs are about no other. */
async function runAt(ids: readonly string[], result: string): Promise<void> {
  await until('the jobs to run', async () => (await world.db.liveJob.count({ where: { id: { in: [...ids] } } })) === 0);
  const outcomes = await world.db.$queryRaw`
    SELECT j.status::text, j.result #>> '{}' AS result, j.attempt, j.retries, j.started_at IS NOT NULL AS started, count(*)::int AS jobs,
      (SELECT string_agg(l.attempt || ' ' || l.kind, ', ' ORDER BY l.id) FROM job_logs l WHERE l.job_key = j.key) AS log
    FROM finished_jobs j WHERE j.id = ANY (${ids}::text[]) GROUP BY 1, 2, 3, 4, 5, 7`;
  const log = '1 started, 1 succeeded';
  expect(outcomes).toEqual([{ status: 'done', result, attempt: 1, retries: 0, started: true, jobs: ids.length, log }]);
}

const outcomesOf = ({ attempts }: Story) => attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`);

describe('a payload that a worker refuses', () => {
  it('runs on a worker that accepts it, whichever worker takes the job first', async () => {
    await start([version('order_id')], { version: 'blue' });
    await start([version('order')], { version: 'green' });
    const [old, changed] = await Promise.all([
      submitMany(JOBS, (n) => ({ order_id: n })),
      submitMany(JOBS, (n) => ({ order: n })),
    ]);
    await runAt(old, 'order_id');
    await runAt(changed, 'order');
    for (const [[id = ''], name] of [
      [old, 'blue'],
      [changed, 'green'],
    ] as const) {
      const { body } = await person.get(`/jobs/${id}/attempts`);
      expect(body).toMatchObject([{ worker: { name: expect.stringMatching(/:\d+$/), version: name } }]);
    }
    const { body: types } = await person.get('/job-types');
    expect(types).toContainEqual(expect.objectContaining({ type: 'invoice', workers: 2, versions: ['blue', 'green'] }));
  });

  it('is claimed once by each version, however long the right worker is busy', async () => {
    let isBusy = true;
    const busy = async () => {
      await until('the worker to be free', () => !isBusy);
      return 'order';
    };
    const old = await start([version('order_id')]);
    await start([version('order', { run: busy })], { concurrency: 2 });
    let refused = 0;
    old.events.on('attempt.started', () => refused++);
    const jobs = Array.from({ length: 300 }, (_, n) => ({ type: 'invoice', payload: { order: n } }));
    const { body } = await person.post('/jobs/batch', { jobs });
    await until(
      'both slots to be used',
      async () => (await world.db.liveJob.count({ where: { status: 'processing' } })) === 2,
    );
    const ids = await submitMany(5, (n) => ({ order_id: n }));
    // Jobs that run at the old version pass those that it has refused.
    await runAt(ids, 'order_id');
    isBusy = false;
    await runAt(
      body.jobs.map(({ id }: { id: string }) => id),
      'order',
    );
    expect(refused).toBeLessThanOrEqual(300 + ids.length);
  });

  it('fails when the only worker that accepts it is gone', async () => {
    await start([version('order_id')]);
    let isRunning = false;
    const slow = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      isRunning = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    };
    const changed = await start([version('order', { run: slow })]);
    const id = await submitJob(person, 'invoice', { order: 1 });
    await until('the job to run', () => isRunning);
    await changed.stop(0);
    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error.code).toBe('invalid_payload');
    expect(outcomesOf(story)).toEqual(['1 released', '2 failed']);
  });

  it('fails after one attempt when no worker accepts it', async () => {
    // No worker has published a schema of this type yet.
    const type = 'unwanted';
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submitJob(person, type, { other: 1 }, { run_at: later });
    await start([version('order_id', { type })]);
    await start([version('order', { type })]);
    await world.db.$executeRaw`UPDATE live_jobs SET run_at = now() WHERE id = ${id}`;
    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error.code).toBe('invalid_payload');
    expect(outcomesOf(story)).toEqual(['1 failed']);
    expect(story.attempts[0]).not.toHaveProperty('worker');
  });

  it('runs on a worker that publishes no schema', async () => {
    await start([version('order_id')]);
    await start([defineHandler({ type: 'invoice', run: async () => 'any' })]);
    await runAt(await submitMany(JOBS, (n) => ({ order: n })), 'any');
  });

  it('runs on a worker of another queue', async () => {
    // A type of its own: for some seconds, the API remembers which queue has the jobs of a type.
    const type = 'moved';
    await start([version('order_id', { type })]);
    await start([version('order', { type, queue: 'cpu' })], { queues: ['cpu'] });
    await runAt(await submitMany(JOBS, (n) => ({ order: n }), { type }), 'order');
  });

  it('runs under a limit, and after a caller has changed it', async () => {
    await person.put('/org/limits/one', { types: ['invoice'], concurrency: 1 });
    await start([version('order_id')]);
    await start([version('order')]);
    await runAt(await submitMany(5, (n) => ({ order: n })), 'order');
    await runAt(await submitMany(5, (n) => ({ order_id: n })), 'order_id');
    await person.delete('/org/limits/one');
  });

  it('keeps the note of a change from before its first attempt', async () => {
    await start([version('order_id')]);
    await start([version('order')]);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const ids = await submitMany(20, (n) => ({ order: n }), { run_at: inAnHour });
    await Promise.all(ids.map((id) => person.patch(`/jobs/${id}`, { run_at: null })));
    await until('the jobs to run', async () => (await world.db.liveJob.count({ where: { id: { in: ids } } })) === 0);

    const logs = await world.db.$queryRaw`
      SELECT DISTINCT (SELECT string_agg(l.kind::text, ', ' ORDER BY l.id) FROM job_logs l WHERE l.job_key = j.key) AS log
      FROM finished_jobs j WHERE j.id = ANY (${ids}::text[])`;
    expect(logs).toEqual([{ log: 'note, started, succeeded' }]);
  });
});

describe('a blue/green switch and a rollback', () => {
  it('lose and fail no job while callers submit types and payloads of both versions', async () => {
    const before = await countFinished(world);
    const submitted = await switchAndRollBack(world, await register(api.call), { perSecond: 100, phaseMs: 1_000 });
    const done = 'done after 1 attempts, 0 retries';
    expect(await countFinished(world)).toEqual({ ...before, [done]: (before[done] ?? 0) + submitted });
  });

  it('release a slow job that is still running when its worker stops, and the other version runs it', async () => {
    let isRunning = false;
    const slow = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      isRunning = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    };
    const blue = await start([version('order', { run: slow })]);
    const id = await submitJob(person, 'invoice', { order: 1 });
    await until('the job to run', () => isRunning);
    await start([version('order')]);
    await blue.stop(0);
    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect(outcomesOf(story)).toEqual(['1 released', '2 succeeded']);
  });
});
