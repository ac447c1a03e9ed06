import { failWaiting } from '@jobline/db/job-transitions';
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

const LENGTH = 600;
const chain = Array.from({ length: LENGTH }, (_, n) => newJob(`job-${n}`, n > 0 ? [`job-${n - 1}`] : []));

const countFailing = () => database.db.liveJob.count({ where: { place: 'failing' } });
const failPage = () => failWaiting(database.db, { after: null, limit: 200 }, ['waits in vain for ', '']);

it('a chain fails in pages and not one job after the other, and comes back whole', async () => {
  await jobs.submit(...chain);
  await jobs.run('job-0', 'failed');
  await jobs.settleConditions();
  expect(await countFailing()).toBe(LENGTH - 1);

  expect((await failPage()).jobs).toHaveLength(200);
  expect((await failPage()).jobs).toHaveLength(200);
  // The others are pending still.
  await jobs.retry('job-0');
  await jobs.settle();

  expect(await database.db.liveJob.groupBy({ by: ['place'], _count: true, orderBy: { place: 'asc' } })).toEqual([
    { place: 'waiting', _count: 1 },
    { place: 'blocked', _count: LENGTH - 1 },
  ]);
  await jobs.run('job-0');
  expect([await jobs.canStart('job-1'), await jobs.stateOf('job-2')]).toEqual([true, 'blocked']);
});

it('a job that waits only for the end of a failing job starts after that end, and not before', async () => {
  await jobs.submit(
    newJob('x'),
    newJob('w', ['x']),
    newJob('end', [{ id: 'w', when: 'ended' }]),
    newJob('z', ['w', 'end']),
  );
  await jobs.run('x', 'failed');

  expect(await Promise.all(['w', 'end', 'z'].map(jobs.stateOf))).toEqual(['failing', 'blocked', 'failing']);
  await jobs.settle();

  expect(await Promise.all(['w', 'end', 'z'].map(jobs.stateOf))).toEqual([
    'dependency_failed',
    'waiting',
    'dependency_failed',
  ]);
});

it('a job that is submitted while the job that it names is failing fails, or waits if that is retried first', async () => {
  await jobs.submit(newJob('x'), newJob('w', ['x']));
  await jobs.run('x', 'failed');
  await jobs.submit(newJob('a', ['w']));
  expect(await jobs.stateOf('a')).toBe('failing');

  await jobs.retry('x');
  await jobs.settleOnce();
  await jobs.submit(newJob('b', ['w']));

  expect(await Promise.all(['w', 'a', 'b'].map(jobs.stateOf))).toEqual(['blocked', 'blocked', 'blocked']);
});
