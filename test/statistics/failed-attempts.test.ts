import { mergeFailedAttempts } from '@jobline/db';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, until, type World } from '../harness/index.js';

let world: World;
let api: TestApi;
let person: Person;
let isFailing = true;
const handler = defineHandler({
  type: 'failing',
  async run() {
    if (isFailing) throw new Error('as the test wants');
  },
});

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.worker({ catalogue: createCatalogue([handler]), queues: ['io'], concurrency: 5 });
});
beforeEach(async () => {
  isFailing = true;
  person = await register(api.call);
});
afterAll(() => world.end());

const stats = async (window: string) => {
  const { body } = await person.get(`/stats/jobs?window=${window}`);
  const failed = body.series.map((step: { failed: number }) => step.failed);
  return { failed: failed.reduce((total: number, n: number) => total + n, 0), byStatus: body.by_status };
};
const ended = (id: string, status: string) =>
  until(`the job to be ${status}`, async () => (await person.get(`/jobs/${id}`)).body.status === status);

it('each failed attempt counts in the step in which it failed, whatever becomes of its job', async () => {
  const id = await submitJob(person, 'failing', {}, { max_retries: 1 });
  await ended(id, 'failed');
  expect(await stats('1h')).toMatchObject({ failed: 2, byStatus: { failed: 1 } });
  isFailing = false;

  await person.post(`/jobs/${id}/retry`);
  await ended(id, 'done');

  expect(await stats('24h')).toMatchObject({ failed: 2, byStatus: { failed: 0, done: 1 } });
  expect((await person.delete(`/jobs/${id}`)).status).toBe(204);
  expect(await stats('7d')).toMatchObject({ failed: 2, byStatus: { failed: 0, done: 0 } });
});

it('the counts become those of longer steps as they age, and disappear after the longest window', async () => {
  const ages = [0, 4, 10, 100, 125, 1_500, 1_700, 2_000, 9_000, 12_000];
  await world.db.$executeRaw`
    INSERT INTO failed_attempts (org_id, step_minutes, at, type, n)
    SELECT ${person.orgId}::uuid, 0, date_trunc('minute', now() - age * interval '1 min'), 'a', 2
    FROM unnest(${ages}::int[]) AS age, generate_series(1, 3)`;
  const windows = ['1h', '24h', '7d'];
  const before = await Promise.all(windows.map(stats));

  for (let isMoreDue = true; isMoreDue; ) isMoreDue = await mergeFailedAttempts(world.db, 4);

  expect(before.map(({ failed }) => failed)).toEqual([18, 30, 54]);
  expect(await Promise.all(windows.map(stats))).toEqual(before);
  const rows = await world.db.$queryRaw<{ step: number; n: number }[]>`
    SELECT step_minutes::int AS step, sum(n)::int AS n FROM failed_attempts WHERE org_id = ${person.orgId}::uuid GROUP BY 1 ORDER BY 1`;
  expect(rows).toEqual([
    { step: 0, n: 6 },
    { step: 1, n: 18 },
    { step: 30, n: 18 },
    { step: 180, n: 12 },
  ]);
});
