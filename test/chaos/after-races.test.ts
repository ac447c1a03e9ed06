import { changePending, deleteFinished, failExpired, failWaiting, requestCancel } from '@jobline/db/job-transitions';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { hotIn, newJob, orgId, waitingJobs } from './waiting-jobs.js';

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

const inAnHour = () => new Date(Date.now() + 3_600_000);

it('a job starts once, and only then, when its last two conditions are met at the same time', async () => {
  await jobs.submit(newJob('x'), newJob('y'), newJob('w', ['x', 'y']));
  const [endX, endY] = [await jobs.start(['x']), await jobs.start(['y'])];

  await jobs.meanwhile(
    (tx) => endX(hotIn(tx)),
    async () => {
      await endY(database.hot);
      await jobs.settleOnce();
      expect(await jobs.canStart('w')).toBe(false);
    },
  );
  await jobs.settle();

  expect([await jobs.canStart('w'), await jobs.canStart('w')]).toEqual([true, false]);
});

it('an entry of a job that waits for others is ignored, also by a worker without its handler', async () => {
  await jobs.submit(newJob('x'), newJob('w', ['x']), newJob('other', ['x'], { type: 'unknown' }));

  expect([await jobs.deliver('w'), await jobs.deliver('other')]).toEqual(['gone', 'gone']);
});

it('a job that is submitted while the job that it names ends waits for that end, and starts or fails', async () => {
  await jobs.submit(newJob('x'), newJob('y'));
  const [endX, endY] = [await jobs.start(['x']), await jobs.start(['y'], 'failed')];

  await jobs.whileWaiting(
    (tx) => endX(hotIn(tx)),
    () => jobs.submit(newJob('after-x', ['x'])),
  );
  await jobs.whileWaiting(
    (tx) => endY(hotIn(tx)),
    () => jobs.submit(newJob('after-y', ['y'])),
  );
  await jobs.settle();

  expect([await jobs.stateOf('after-x'), await jobs.stateOf('after-y')]).toEqual(['waiting', 'dependency_failed']);
});

it('a job that ends while one is submitted that names it ends after the submission, and settles its condition', async () => {
  await jobs.submit(newJob('x'));
  const end = await jobs.start(['x']);

  await jobs.whileWaiting(
    (tx) => jobs.submitIn(tx, newJob('w', ['x'])),
    () => end(database.hot),
  );

  expect(await jobs.stateOf('w')).toBe('waiting');
});

it('a job that is submitted while the failed job that it names is retried waits for the new attempt', async () => {
  await jobs.submit(newJob('x'));
  await jobs.run('x', 'failed');

  await jobs.whileWaiting(
    (tx) => jobs.retry('x', tx),
    () => jobs.submit(newJob('w', ['x'])),
  );

  expect(await jobs.stateOf('w')).toBe('blocked');
  await jobs.run('x');
  expect(await jobs.stateOf('w')).toBe('waiting');
});

it('a job that is submitted while the job that it names is deleted is refused', async () => {
  await jobs.submit(newJob('x'));
  await jobs.run('x');

  const answer = await jobs.whileWaiting(
    (tx) => tx.$executeRaw`
      WITH gone AS (DELETE FROM finished_jobs RETURNING key) DELETE FROM submitted_jobs s USING gone WHERE s.key = gone.key`,
    () => jobs.submit(newJob('w', ['x'])),
  );

  expect(answer).toMatchObject({ kind: 'refused' });
  expect(await jobs.stateOf('w')).toBe('gone');
});

it('a job cannot be deleted while one is submitted that refers to its result', async () => {
  await jobs.submit(newJob('x'));
  await jobs.run('x');

  const answer = await jobs.whileWaiting(
    (tx) => jobs.submitIn(tx, newJob('w', [{ id: 'x', refers: true }])),
    () => deleteFinished(database.db, orgId, 'x'),
  );

  expect(answer).toEqual({ kind: 'needed' });
  expect(await jobs.stateOf('x')).toBe('done');
});

it('a condition is settled later if its job is locked when it is met, and whatever held the lock keeps its effect', async () => {
  await jobs.submit(
    newJob('x'),
    newJob('changed', ['x']),
    newJob('canceled', ['x']),
    newJob('expired', ['x'], { expiresAt: new Date(Date.now() - 1_000) }),
  );
  const end = await jobs.start(['x']);

  await jobs.meanwhile(
    async (tx) => {
      await changePending(tx, orgId, 'changed', { priority: 7, runAt: inAnHour() }, 'changed');
      await requestCancel(tx, orgId, 'canceled', 'stop');
      await failExpired(tx, { after: null, limit: 10 }, 'expired');
    },
    async () => {
      await end(database.hot);
      await jobs.settleOnce();
      expect(await jobs.stateOf('changed')).toBe('blocked');
    },
  );
  await jobs.settle();

  const states = await Promise.all(['changed', 'canceled', 'expired'].map(jobs.stateOf));
  expect(states).toEqual(['scheduled', 'canceled', 'expired']);
  expect(await database.db.liveJob.findFirst({ where: { id: 'changed' } })).toMatchObject({ priority: 7 });
  // Their conditions are met, so they can be retried.
  expect(await jobs.retry('canceled')).toBe(true);
  expect(await jobs.canStart('canceled')).toBe(true);
});

it('a cancel, a change and an expiry that wait while a condition is met find the job that is due', async () => {
  await jobs.submit(newJob('x'), newJob('y'), newJob('canceled', ['x']), newJob('changed', ['y']));
  const [endX, endY] = [await jobs.start(['x']), await jobs.start(['y'])];

  await jobs.whileWaiting(
    (tx) => endX(hotIn(tx)),
    () => requestCancel(database.db, orgId, 'canceled', 'stop'),
  );
  await jobs.whileWaiting(
    (tx) => endY(hotIn(tx)),
    () => changePending(database.db, orgId, 'changed', { runAt: inAnHour() }, 'changed'),
  );

  expect([await jobs.stateOf('canceled'), await jobs.stateOf('changed')]).toEqual(['canceled', 'scheduled']);
});

it('a canceled job that is retried while its condition is met does not stay blocked', async () => {
  await jobs.submit(newJob('x'), newJob('w', ['x']));
  await requestCancel(database.db, orgId, 'w', 'stop');
  const end = await jobs.start(['x']);

  await jobs.meanwhile(
    (tx) => jobs.retry('w', tx),
    () => end(database.hot),
  );
  expect(await jobs.stateOf('w')).toBe('blocked');
  await jobs.settle();

  expect(await jobs.canStart('w')).toBe(true);
});

it('a canceled job that is retried while its condition fails does not start', async () => {
  await jobs.submit(newJob('x'), newJob('w', ['x']));
  await requestCancel(database.db, orgId, 'w', 'stop');
  const end = await jobs.start(['x'], 'failed');

  const isRetried = await jobs.whileWaiting(
    (tx) => end(hotIn(tx)),
    () => jobs.retry('w'),
  );

  expect(isRetried).toBe(false);
  expect(await jobs.stateOf('w')).toBe('canceled');
});

it('a retry of the failed job before what waits for it has failed leaves it waiting', async () => {
  await jobs.submit(newJob('x'), newJob('w', ['x']));
  await jobs.run('x', 'failed');
  expect(await jobs.stateOf('w')).toBe('failing');

  await jobs.retry('x');
  await jobs.settle();

  expect(await jobs.stateOf('w')).toBe('blocked');
  expect(await database.db.jobLog.count({ where: { jobKey: await jobs.keyOf('w') } })).toBe(0);
  await jobs.run('x');
  await jobs.settle();
  expect(await jobs.canStart('w')).toBe(true);
});

it.each([
  ['done', 'waiting'],
  ['failed', 'dependency_failed'],
] as const)('a retried job that is %s while what waits for it comes back leaves that %s', async (end, becomes) => {
  await jobs.submit(newJob('x'), newJob('w', ['x']));
  await jobs.run('x', 'failed');
  await jobs.settle();
  await jobs.retry('x');
  const endX = await jobs.start(['x'], end);

  await jobs.settleMeanwhile(() => endX(database.hot));
  await jobs.settle();

  expect(await jobs.stateOf('w')).toBe(becomes);
});

it('a retry of the failed job while what waits for it fails brings that back, however the two end', async () => {
  await jobs.submit(newJob('x'), newJob('w', ['x']), newJob('z', ['w']));
  await jobs.run('x', 'failed');

  await jobs.meanwhile(
    (tx) => failWaiting(tx, { after: null, limit: 10 }, ['waits in vain for ', '']),
    async () => {
      await jobs.retry('x');
      await jobs.settleOnce();
    },
  );
  await jobs.settle();
  expect([await jobs.stateOf('w'), await jobs.stateOf('z')]).toEqual(['blocked', 'blocked']);

  await jobs.run('x', 'failed');
  await jobs.settle();
  expect([await jobs.stateOf('w'), await jobs.stateOf('z')]).toEqual(['dependency_failed', 'dependency_failed']);
  // It ends well before anything is settled.
  await jobs.retry('x');
  await jobs.run('x');
  await jobs.settle();
  await jobs.run('w');
  expect(await jobs.canStart('z')).toBe(true);
});

it('a job with two failed causes comes back only when both are put right, also if that is settled at the same time', async () => {
  await jobs.submit(newJob('x'), newJob('y'), newJob('w', ['x', 'y']));
  await jobs.run('x', 'failed');
  await jobs.settle();
  await jobs.run('y', 'failed');
  await jobs.settle();
  expect(await jobs.retry('w')).toBe(false);

  await jobs.retry('x');
  await jobs.settle();
  expect(await jobs.stateOf('w')).toBe('dependency_failed');
  await jobs.run('x', 'failed');
  await jobs.settle();

  await Promise.all([jobs.retry('x'), jobs.retry('y')]);
  await Promise.all([jobs.settleOnce(), jobs.settleOnce()]);
  await jobs.settle();
  expect(await jobs.stateOf('w')).toBe('blocked');
  await jobs.run('x');
  expect(await jobs.canStart('w')).toBe(false);
  await jobs.run('y');
  expect(await jobs.canStart('w')).toBe(true);
});

it('exactly one attempt of each job starts in hundreds of races of ends, submissions, cancels and settlements', async () => {
  const rounds = 25;
  for (let round = 0; round < rounds; round++) {
    const id = (name: string) => `${name}-${round}`;
    await jobs.submit(
      newJob(id('x')),
      newJob(id('y')),
      ...Array.from({ length: 6 }, (_, n) => newJob(id(`w${n}`), [id('x'), id('y')])),
    );
    const ends = [await jobs.start([id('x')]), await jobs.start([id('y')])];
    await Promise.all([
      ...ends.map((end) => end(database.hot)),
      ...[0, 1].map((n) => jobs.submit(newJob(id(`late${n}`), [id('x'), id('y')]))),
      requestCancel(database.db, orgId, id('w0'), 'stop'),
      changePending(database.db, orgId, id('w1'), { priority: 3 }, 'changed'),
      jobs.settleOnce(),
      jobs.settleOnce(),
    ]);
    await jobs.settle();
    const names = ['w1', 'w2', 'w3', 'w4', 'w5', 'late0', 'late1'];
    for (const name of names)
      expect([await jobs.canStart(id(name)), await jobs.canStart(id(name))], name).toEqual([true, false]);
    expect(await jobs.stateOf(id('w0'))).toBe('canceled');
  }
});
