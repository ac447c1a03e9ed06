import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  makeDue,
  type OwnRedis,
  type Person,
  register,
  type SupervisedWorker,
  startOwnRedis,
  submitJob,
  superviseWorker,
  until,
  type World,
} from '../harness/index.js';

/** Handlers that end their process in every possible way, and a handler that runs at the same time. */
const HANDLERS = {
  'poison.mjs': `
    export default {
      type: 'poison',
      async run({ how }, { log }) {
        log('info', 'about to ' + how);
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (how === 'exit') process.exit(0);
        // It is connected to a worker only if it runs isolated.
        if (how === 'crash its worker' && process.connected) process.kill(process.ppid, 'SIGKILL');
        if (how === 'be killed') process.kill(process.pid, 'SIGKILL');
        if (how === 'freeze') for (;;);
        if (how === 'take all memory') for (const all = []; ; ) all.push({ more: [all.length] });
        if (how === 'leave a rejection') void Promise.reject(new Error('not handled'));
        await new Promise(() => setTimeout(() => undefined, 1e9));
      },
    };`,
  'neighbor.mjs': `
    import { setTimeout as sleep } from 'node:timers/promises';
    export default {
      type: 'neighbor',
      async run({ n }, { signal }) {
        await sleep(50, undefined, { signal });
        return { n };
      },
    };`,
  'careful.mjs': `
    import { PermanentError } from '@jobline/handlers';
    export default {
      type: 'careful',
      async run({ how }, { log, saveArtifact, attempt, idempotencyKey }) {
        log('info', 'I am here');
        if (how === 'fails for good') throw new PermanentError('this cannot be done');
        if (how === 'fails') throw new Error('not now');
        await saveArtifact({ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('hello') });
        return { attempt, idempotencyKey, workerPid: process.ppid };
      },
    };`,
  'brief.mjs': `
    export default {
      type: 'brief',
      timeoutMs: 500,
      run: (_payload, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };`,
};

const LEASE_MS = 2_000;

let world: World;
let redis: OwnRedis;
let person: Person;
let dir: string;
let worker: SupervisedWorker;

async function start(): Promise<void> {
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
  dir = await mkdtemp(join(tmpdir(), 'jobline-test-handlers-'));
  for (const [name, text] of Object.entries(HANDLERS)) await writeFile(join(dir, name), text);
  worker = await superviseWorker({
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    HANDLERS_DIR: dir,
    WORKER_LEASE_MS: `${LEASE_MS}`,
    // The memory limit is reached sooner.
    NODE_OPTIONS: '--max-old-space-size=256',
  });
}

async function stop(): Promise<void> {
  await worker.stop();
  await world.end();
  await redis.end();
  await rm(dir, { recursive: true });
}

/** Submits a job and starts it as if that number of workers had died with it. */
async function submitCrashed(type: string, payload: object, crashes: number, more: object = {}): Promise<string> {
  const id = await submitJob(person, type, payload, {
    ...more,
    run_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await world.db.job.updateMany({ where: { id }, data: { crashCount: crashes } });
  await makeDue(world.db, id);
  return id;
}

describe('with a job that crashes its worker,', () => {
  beforeEach(start);
  afterEach(stop);

  it('the job fails with worker_lost, and 300 other jobs are done without a retry', async () => {
    const submit = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, n) => submitJob(person, 'neighbor', { n: from + n })));
    const before = await submit(0, 100);
    const poison = await submitJob(person, 'poison', { how: 'be killed' }, { max_retries: 5 });
    const after = await submit(100, 300);

    const story = await finishedJob(person, poison);
    await until(
      'all neighbors to be done',
      async () => (await world.db.job.count({ where: { type: 'neighbor', status: 'done' } })) === 300,
    );

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toMatchObject({ code: 'worker_lost' });
    expect(linesOf(story)).toEqual([
      '1 info attempt 1 started',
      // The line of the handler may be lost with the worker.
      ...(linesOf(story).includes('1 info about to be killed') ? ['1 info about to be killed'] : []),
      '1 warn the worker died during attempt 1; the job is pending again',
      '2 info attempt 2 started',
      ...(linesOf(story).includes('2 info about to be killed') ? ['2 info about to be killed'] : []),
      '2 warn the worker died during attempt 2; the job is pending again',
      '3 info attempt 3 started',
      '3 warn this job crashed 2 workers; running it in an isolated process',
      '3 info about to be killed',
      expect.stringMatching(/^3 error attempt 3 failed: .*\(SIGKILL\); no attempt follows$/),
    ]);
    expect(worker.deaths()).toBe(2);
    expect(worker.output()).toMatch(/job failed: it crashed every worker that ran it.*"type":"poison"/);
    for (const id of [before[0], after[0], after.at(-1)]) {
      expect((await finishedJob(person, id ?? '')).job).toMatchObject({ status: 'done', retries: 0 });
    }
    const neighbors = await world.db.job.findMany({ where: { type: 'neighbor' } });
    expect(neighbors.filter(({ retries }) => retries > 0)).toEqual([]);
    // Few of them ran at the same time as both crashes: the others need not wait to run isolated.
    expect(neighbors.filter(({ crashCount }) => crashCount >= 2).length).toBeLessThan(10);
  });

  it('the job fails with worker_lost even if it crashes its worker from an isolated process', async () => {
    const id = await submitCrashed('poison', { how: 'crash its worker' }, 2, { max_retries: 3 });

    const story = await finishedJob(person, id);

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toEqual({ code: 'worker_lost', message: '5 workers died while running this job' });
    expect(linesOf(story).at(-1)).toBe(
      '3 error the worker died during attempt 3; 5 workers died while running this job, no attempt follows',
    );
    expect(worker.deaths()).toBeGreaterThanOrEqual(3);
    await until('a worker to log it', () =>
      /job failed: it crashed every worker that ran it.*"type":"poison"/.test(worker.output()),
    );
  });

  it('a frozen worker ends itself, its supervisor starts another one, and its other jobs are done', async () => {
    const poison = await submitJob(person, 'poison', { how: 'freeze' });
    const other = await submitJob(person, 'neighbor', { n: 1 });

    expect((await finishedJob(person, poison)).result.error).toMatchObject({ code: 'worker_lost' });
    expect((await finishedJob(person, other)).job).toMatchObject({ status: 'done', retries: 0 });
    expect(worker.deaths()).toBe(2);
    expect(worker.output()).toContain('the event loop was blocked');
  });
});

describe('with a worker that survives,', () => {
  beforeAll(start);
  afterAll(stop);

  describe('an isolated job fails with worker_lost if it', () => {
    it.each([
      ['exit', /\(exit 0\)/],
      ['be killed', /\(SIGKILL\)/],
      ['freeze', /\(SIGKILL\)/],
      // Ended by Node, or by the watchdog during garbage collection.
      ['take all memory', /\(SIG(ABRT|KILL)\)/],
      ['leave a rejection', /\(exit 1\)/],
    ])('would %s', async (how, end) => {
      const id = await submitCrashed('poison', { how }, 2, { max_retries: 3 });

      const story = await finishedJob(person, id);

      expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
      expect(story.result.error).toEqual({ code: 'worker_lost', message: expect.stringMatching(end) });
      expect(worker.deaths()).toBe(0);
    });
  });

  describe('an isolated job', () => {
    const careful = (how: string, more: object = {}) => submitCrashed('careful', { how }, 2, more);

    it('has a result, a log, artifacts and an idempotency key like any other job', async () => {
      const id = await careful('works');

      const story = await finishedJob(person, id);
      const { key } = await world.db.job.findFirstOrThrow({ where: { id } });

      expect(story.job).toMatchObject({ status: 'done', retries: 0 });
      expect(story.result.result).toMatchObject({ attempt: 1, idempotencyKey: key });
      expect(linesOf(story)).toEqual([
        '1 info attempt 1 started',
        '1 warn this job crashed 2 workers; running it in an isolated process',
        '1 info I am here',
        '1 info saved a.txt: 5 bytes of text/plain',
        expect.stringMatching(/^1 info attempt 1 succeeded/),
      ]);
      expect((await person.get(`/jobs/${id}/artifacts`)).body).toMatchObject([{ name: 'a.txt', size: 5 }]);
    });

    it('fails with its own errors, with or without retries', async () => {
      const again = await careful('fails', { max_retries: 1 });
      const forGood = await careful('fails for good', { max_retries: 3 });

      expect((await finishedJob(person, again)).job).toMatchObject({ status: 'failed', retries: 1 });
      const story = await finishedJob(person, forGood);
      expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
      expect(story.result.error).toEqual({ code: 'handler_error', message: 'this cannot be done' });
    });

    it('runs without isolation again after its own failure', async () => {
      const id = await careful('fails', { max_retries: 1 });

      expect(linesOf(await finishedJob(person, id))).toEqual([
        '1 info attempt 1 started',
        '1 warn this job crashed 2 workers; running it in an isolated process',
        '1 info I am here',
        expect.stringMatching(/^1 error attempt 1 failed: not now; the next attempt is due/),
        '2 info attempt 2 started',
        '2 info I am here',
        '2 error attempt 2 failed: not now; no attempt follows',
      ]);
      expect(await world.db.job.findFirstOrThrow({ where: { id } })).toMatchObject({ crashCount: 1 });
    });

    it('fails with timeout after its time limit', async () => {
      const story = await finishedJob(person, await submitCrashed('brief', {}, 2));

      expect(story.result.error.code).toBe('timeout');
    });

    it('stops when it is canceled', async () => {
      const id = await submitCrashed('poison', { how: 'wait' }, 2);
      await until('the job to run', async () => (await person.get(`/jobs/${id}/logs`)).body.length === 3);

      expect((await person.post(`/jobs/${id}/cancel`, {})).status).toBe(202);

      expect((await finishedJob(person, id)).result.error.code).toBe('canceled');
    });
  });
});
