import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { newJob, waitingJobs } from './waiting-jobs.js';

let database: TestDatabase;
let jobs: ReturnType<typeof waitingJobs>;
beforeEach(async () => {
  database = await createTestDatabase();
  jobs = waitingJobs(database.db, database.hot);
  await jobs.begin();
});
afterEach(async () => {
  await jobs.settle();
  expect(await jobs.contradictions()).toEqual([]);
  await database.drop();
});

const ids = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);

/** How many jobs are in each state. */
async function countStates(): Promise<Record<string, number>> {
  const rows = await database.db.$queryRaw<{ state: string; count: number }[]>`
    SELECT coalesce(error_code, CASE status::text WHEN 'pending' THEN place::text ELSE status::text END) AS state,
      count(*)::int AS count
    FROM jobs GROUP BY 1`;
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

it('a thousand jobs wait for one, which is the most: all start, or fail and come back, and one more is refused', async () => {
  await jobs.submit(newJob('x'));
  for (const part of ['a', 'b']) await jobs.submit(...ids(part, 500).map((id) => newJob(id, ['x'])));
  const crowd = await Promise.all(['late', 'later'].map((id) => jobs.submit(newJob(id, ['x']))));
  for (const answer of crowd) expect(answer).toMatchObject({ kind: 'refused' });

  await jobs.run('x', 'failed');
  await jobs.settle();
  expect(await countStates()).toEqual({ dependency_failed: 1_000, handler_error: 1 });
  await jobs.retry('x');
  await jobs.settle();
  expect(await countStates()).toEqual({ blocked: 1_000, waiting: 1 });
  await jobs.run('x');
  await jobs.settle();

  expect(await countStates()).toEqual({ done: 1, waiting: 1_000 });
  // None waits for it any more.
  expect(await jobs.submit(newJob('last', ['x']))).toMatchObject({ kind: 'stored' });
});

it('exactly one of several submissions is stored when one more job may wait for a job', async () => {
  await jobs.submit(newJob('x'));
  await jobs.submit(...ids('a', 999).map((id) => newJob(id, ['x'])));

  const answers = await Promise.all(ids('b', 4).map((id) => jobs.submit(newJob(id, ['x']))));

  expect(answers.map(({ kind }) => kind).sort()).toEqual(['refused', 'refused', 'refused', 'stored']);
});

it('a job that waits for twenty starts after the last of them, although they end in statements of several', async () => {
  const causes = ids('x', 20);
  await jobs.submit(...causes.map((id) => newJob(id)), ...ids('w', 30).map((id) => newJob(id, causes)));
  const ends = await Promise.all([0, 5, 10, 15].map((n) => jobs.start(causes.slice(n, n + 5))));

  for (const end of ends.slice(1)) await end(database.hot);
  expect(await countStates()).toMatchObject({ blocked: 30 });
  await ends[0]?.(database.hot);
  await jobs.settle();

  expect(await countStates()).toEqual({ done: 20, waiting: 30 });
});

it('twenty jobs that end at the same time start what waits for all of them', async () => {
  const causes = ids('x', 20);
  await jobs.submit(...causes.map((id) => newJob(id)), ...ids('w', 30).map((id) => newJob(id, causes)));
  const ends = [];
  for (const id of causes) ends.push(await jobs.start([id]));

  await Promise.all([...ends.map((end) => end(database.hot)), jobs.settleOnce(), jobs.settleOnce()]);
  await jobs.settle();

  expect(await countStates()).toEqual({ done: 20, waiting: 30 });
});
