import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CrashWorld, createCrashWorld } from '../chaos/crash-world.js';
import { finishedJob, linesOf, submitJob, until } from '../harness/index.js';

let setup: CrashWorld;
const start = async () => {
  setup = await createCrashWorld();
};
const stop = () => setup.end();

describe('with a job that crashes its worker,', () => {
  beforeEach(start);
  afterEach(stop);

  it('the job fails with worker_lost even if it crashes its worker from an isolated process', async () => {
    const id = await setup.submitCrashed('poison', { how: 'crash its worker' }, 2, { max_retries: 3 });

    const story = await finishedJob(setup.person, id);

    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result.error).toEqual({ code: 'worker_lost', message: '5 workers died while running this job' });
    expect(linesOf(story).at(-1)).toBe(
      '3 error the worker died during attempt 3; 5 workers died while running this job, no attempt follows',
    );
    expect(setup.worker.deaths()).toBeGreaterThanOrEqual(3);
    await until('a worker to log it', () =>
      /job failed: it crashed every worker that ran it.*"type":"poison"/.test(setup.worker.output()),
    );
  });

  it('a frozen worker ends itself, its supervisor starts another one, and its other jobs are done', async () => {
    const poison = await submitJob(setup.person, 'poison', { how: 'freeze' });
    const other = await submitJob(setup.person, 'neighbor', { n: 1 });

    expect((await finishedJob(setup.person, poison)).result.error).toMatchObject({ code: 'worker_lost' });
    expect((await finishedJob(setup.person, other)).job).toMatchObject({ status: 'done', retries: 0 });
    expect(setup.worker.deaths()).toBe(2);
    expect(setup.worker.output()).toContain('the event loop was blocked');
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
      const id = await setup.submitCrashed('poison', { how }, 2, { max_retries: 3 });

      const story = await finishedJob(setup.person, id);

      expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
      expect(story.result.error).toEqual({ code: 'worker_lost', message: expect.stringMatching(end) });
      expect(setup.worker.deaths()).toBe(0);
    });
  });

  describe('an isolated job', () => {
    const careful = (how: string, more: object = {}) => setup.submitCrashed('careful', { how }, 2, more);

    it('has a result, a log, artifacts and an idempotency key like any other job', async () => {
      const id = await careful('works');

      const story = await finishedJob(setup.person, id);
      const { key } = await setup.world.db.job.findFirstOrThrow({ where: { id } });

      expect(story.job).toMatchObject({ status: 'done', retries: 0 });
      expect(story.result.result).toMatchObject({ attempt: 1, idempotencyKey: key });
      expect(linesOf(story)).toEqual([
        '1 info attempt 1 started',
        '1 warn this job crashed 2 workers; running it in an isolated process',
        '1 info I am here',
        '1 info saved a.txt: 5 bytes of text/plain',
        expect.stringMatching(/^1 info attempt 1 succeeded/),
      ]);
      expect((await setup.person.get(`/jobs/${id}/artifacts`)).body).toMatchObject([{ name: 'a.txt', size: 5 }]);
    });

    it('fails with its own errors, with or without retries', async () => {
      const again = await careful('fails', { max_retries: 1 });
      const forGood = await careful('fails for good', { max_retries: 3 });

      expect((await finishedJob(setup.person, again)).job).toMatchObject({ status: 'failed', retries: 1 });
      const story = await finishedJob(setup.person, forGood);
      expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
      expect(story.result.error).toEqual({ code: 'handler_error', message: 'this cannot be done' });
    });

    it('runs without isolation again after its own failure', async () => {
      const id = await careful('fails', { max_retries: 1 });

      expect(linesOf(await finishedJob(setup.person, id))).toEqual([
        '1 info attempt 1 started',
        '1 warn this job crashed 2 workers; running it in an isolated process',
        '1 info I am here',
        expect.stringMatching(/^1 error attempt 1 failed: not now; the next attempt is due/),
        '2 info attempt 2 started',
        '2 info I am here',
        '2 error attempt 2 failed: not now; no attempt follows',
      ]);
      expect(await setup.world.db.job.findFirstOrThrow({ where: { id } })).toMatchObject({ crashCount: 1 });
    });

    it('fails with timeout after its time limit', async () => {
      const story = await finishedJob(setup.person, await setup.submitCrashed('brief', {}, 2));

      expect(story.result.error.code).toBe('timeout');
    });

    it('stops when it is canceled', async () => {
      const id = await setup.submitCrashed('poison', { how: 'wait' }, 2);
      await until('the job to run', async () => (await setup.person.get(`/jobs/${id}/logs`)).body.length === 3);

      expect((await setup.person.post(`/jobs/${id}/cancel`, {})).status).toBe(202);

      expect((await finishedJob(setup.person, id)).result.error.code).toBe('canceled');
    });
  });
});
