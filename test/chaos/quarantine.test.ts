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

/** Handlers that end their process in every way there is, and one that does its work beside them. */
const HANDLERS = {
  'poison.mjs': `
    export default {
      type: 'poison',
      async run({ how }, { log }) {
        log('info', 'about to ' + how);
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (how === 'exit') process.exit(0);
        // Connected to its worker, it runs alone.
        if (how === 'end its worker' && process.connected) process.kill(process.ppid, 'SIGKILL');
        if (how === 'be killed') process.kill(process.pid, 'SIGKILL');
        if (how === 'freeze') for (;;);
        if (how === 'take all memory') for (const all = []; ; ) all.push({ more: [all.length] });
        if (how === 'leave a rejection') void Promise.reject(new Error('nobody waits for me'));
        await new Promise(() => setTimeout(() => undefined, 1e9));
      },
    };`,
  'neighbour.mjs': `
    import { setTimeout as sleep } from 'node:timers/promises';
    export default {
      type: 'neighbour',
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
    // Endless memory ends sooner.
    NODE_OPTIONS: '--max-old-space-size=256',
  });
}

async function stop(): Promise<void> {
  await worker.stop();
  await world.end();
  await redis.end();
  await rm(dir, { recursive: true });
}

/** Submits a job and lets it begin as if that many workers had died with it. */
async function submitLost(type: string, payload: object, losses: number, more: object = {}): Promise<string> {
  const id = await submitJob(person, type, payload, {
    ...more,
    run_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await world.db.job.updateMany({ where: { id }, data: { losses } });
  await makeDue(world.db, id);
  return id;
}

describe('beside a job that ends its worker', () => {
  beforeEach(start);
  afterEach(stop);

  it('a job that kills its worker ends as worker_lost and costs none of 300 others anything', async () => {
    const submit = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, n) => submitJob(person, 'neighbour', { n: from + n })));
    const before = await submit(0, 100);
    const poison = await submitJob(person, 'poison', { how: 'be killed' }, { max_retries: 5 });
    const after = await submit(100, 300);

    const story = await finishedJob(person, poison);
    await until(
      'all neighbours to be done',
      async () => (await world.db.job.count({ where: { type: 'neighbour', status: 'done' } })) === 300,
    );

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toMatchObject({ code: 'worker_lost' });
    expect(linesOf(story)).toEqual([
      '1 info attempt 1 started',
      // The handler's own line may have died with the worker.
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
    expect(worker.output()).toMatch(/a job has ended all that ran it.*"type":"poison"/);
    for (const id of [before[0], after[0], after.at(-1)]) {
      expect((await finishedJob(person, id ?? '')).job).toMatchObject({ status: 'done', retries: 0 });
    }
    const neighbours = await world.db.job.findMany({ where: { type: 'neighbour' } });
    expect(neighbours.filter(({ retries }) => retries > 0)).toEqual([]);
    // Few of them were beside it both times: the others need not wait for their turn to run alone.
    expect(neighbours.filter(({ losses }) => losses >= 2).length).toBeLessThan(10);
  });

  it('a job that ends its worker even from a process of its own ends as worker_lost, too', async () => {
    const id = await submitLost('poison', { how: 'end its worker' }, 2, { max_retries: 3 });

    const story = await finishedJob(person, id);

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toEqual({ code: 'worker_lost', message: '5 workers died while running this job' });
    expect(linesOf(story).at(-1)).toBe(
      '3 error the worker died during attempt 3; 5 workers died while running this job, no attempt follows',
    );
    expect(worker.deaths()).toBeGreaterThanOrEqual(3);
    await until('a worker to say so', () => /a job has ended all that ran it.*"type":"poison"/.test(worker.output()));
  });

  it('a frozen worker ends itself, so that its supervisor starts another one and its jobs go on', async () => {
    const poison = await submitJob(person, 'poison', { how: 'freeze' });
    const beside = await submitJob(person, 'neighbour', { n: 1 });

    expect((await finishedJob(person, poison)).result.error).toMatchObject({ code: 'worker_lost' });
    expect((await finishedJob(person, beside)).job).toMatchObject({ status: 'done', retries: 0 });
    expect(worker.deaths()).toBe(2);
    expect(worker.output()).toContain('the event loop was blocked');
  });
});

describe('beside a worker that lives on', () => {
  beforeAll(start);
  afterAll(stop);

  describe('a job ends as worker_lost, and its worker lives, when alone it', () => {
    it.each([
      ['exit', /\(exit 0\)/],
      ['be killed', /\(SIGKILL\)/],
      ['freeze', /\(SIGKILL\)/],
      // By Node, or by the watchdog while it collects garbage.
      ['take all memory', /\(SIG(ABRT|KILL)\)/],
      ['leave a rejection', /\(exit 1\)/],
    ])('would %s', async (how, end) => {
      const id = await submitLost('poison', { how }, 2, { max_retries: 3 });

      const story = await finishedJob(person, id);

      expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
      expect(story.result.error).toEqual({ code: 'worker_lost', message: expect.stringMatching(end) });
      expect(worker.deaths()).toBe(0);
    });
  });

  describe('a job that runs alone', () => {
    const careful = (how: string, more: object = {}) => submitLost('careful', { how }, 2, more);

    it('has its result, its log, its artifacts and its idempotency key like any other', async () => {
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

    it('fails for its own reasons: with retries, or for good', async () => {
      const again = await careful('fails', { max_retries: 1 });
      const forGood = await careful('fails for good', { max_retries: 3 });

      expect((await finishedJob(person, again)).job).toMatchObject({ status: 'failed', retries: 1 });
      const story = await finishedJob(person, forGood);
      expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
      expect(story.result.error).toEqual({ code: 'handler_error', message: 'this cannot be done' });
    });

    it('runs among the others again after it has failed by itself', async () => {
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
      expect(await world.db.job.findFirstOrThrow({ where: { id } })).toMatchObject({ losses: 1 });
    });

    it('is told when its time is over', async () => {
      const story = await finishedJob(person, await submitLost('brief', {}, 2));

      expect(story.result.error.code).toBe('timeout');
    });

    it('is told when it is canceled', async () => {
      const id = await submitLost('poison', { how: 'wait' }, 2);
      await until('it to run', async () => (await person.get(`/jobs/${id}/logs`)).body.length === 3);

      expect((await person.post(`/jobs/${id}/cancel`, {})).status).toBe(202);

      expect((await finishedJob(person, id)).result.error.code).toBe('canceled');
    });
  });
});
