import { afterAll, beforeAll, expect, it } from 'vitest';
import { finishedJob, linesOf, submitJob, until } from '../harness/index.js';
import { type CrashWorld, createCrashWorld } from './crash-world.js';

let setup: CrashWorld;
beforeAll(async () => {
  setup = await createCrashWorld();
});
afterAll(() => setup.end());

it('a job that crashes its workers fails with worker_lost, and 300 other jobs are done without a retry', async () => {
  const { world, person, worker } = setup;
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
