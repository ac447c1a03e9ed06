import { deleteExpired } from '@jobline/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../harness/index.js';
import { alertsOf, checkAll, choose, endEarlier, type StoredPending, storeEnded, storePending } from './alert-jobs.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ alertsEveryMs: 3_600_000 });
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

const ended = (jobs: Parameters<typeof storeEnded>[2]) => storeEnded(world.db, person.orgId, jobs);
const pending = (job: StoredPending) => storePending(world.db, person.orgId, job);
const check = async () => expect(await checkAll(world.db)).toBe(0);
const alerts = () => alertsOf(world.db, person);
const unresolved = async () => (await alerts()).filter(({ resolvedAt }) => resolvedAt === null);

describe('the failure rate', () => {
  const byRate = () => choose(person, { email: true, failure_rate_percent: 20 });

  it('an alert is raised when more than the share of jobs failed', async () => {
    await byRate();
    await ended({ done: 79, failed: 21 });
    await check();

    expect(await alerts()).toEqual([
      {
        kind: 'failure_rate',
        threshold: 20,
        value: 21,
        resolvedAt: null,
        isMailDue: expect.any(Boolean),
      },
    ]);
  });

  it('a share that exceeds the threshold by less than a tenth of a percent is enough', async () => {
    await byRate();
    await ended({ done: 4_000, failed: 1_001 });
    await check();

    expect(await alerts()).toMatchObject([{ threshold: 20, value: 20.1 }]);
  });

  it.each([
    ['a share that is exactly the threshold', { done: 80, failed: 20 }],
    ['fewer than 20 ended jobs', { failed: 19 }],
    ['no job', {}],
    ['jobs that finished more than 15 minutes ago', { failed: 30, minutesAgo: 15.1 }],
  ])('no alert is raised by %s', async (_name, jobs) => {
    await byRate();
    await ended(jobs);
    await check();

    expect(await alerts()).toEqual([]);
  });

  it('20 ended jobs are enough', async () => {
    await byRate();
    await ended({ failed: 20, minutesAgo: 14.5 });
    await check();

    expect(await alerts()).toMatchObject([{ value: 100 }]);
  });

  it('an alert is resolved when the failed jobs have left the window', async () => {
    await byRate();
    await ended({ failed: 20 });
    await check();
    await endEarlier(world.db, person.orgId, 15);
    await check();

    expect(await alerts()).toMatchObject([{ value: 100, resolvedAt: expect.any(Date) }]);
  });
});

describe('the oldest waiting job', () => {
  const byWaiting = () => choose(person, { webhook: true, oldest_waiting_seconds: 60 });

  it.each([
    { stage: 'scheduled' },
    { stage: 'waiting', priority: 9 },
    { stage: 'waiting', priority: 0 },
    { stage: 'enqueued' },
    { stage: 'held', priority: 5 },
    { stage: 'waiting', retries: 2 },
  ] as const)('a due job that waits too long raises an alert: %j', async (job) => {
    await byWaiting();
    await pending({ dueForS: 10 });
    await pending({ ...job, dueForS: 120 });
    await check();

    const [alert] = await alerts();
    expect(alert).toMatchObject({ kind: 'oldest_waiting', threshold: 60, isMailDue: false });
    expect(alert?.value).toBeGreaterThanOrEqual(120);
    expect(alert?.value).toBeLessThan(300);
  });

  it.each([
    { stage: 'scheduled', dueForS: -600 },
    { stage: 'enqueued', retries: 1, dueForS: -600 },
    { stage: 'scheduled', retries: 1, dueForS: -600 },
    { stage: 'held', dueForS: -600 },
    { stage: 'waiting', dueForS: 5 },
  ] as const)('a job that is not due, or not for so long, raises no alert: %j', async (job) => {
    await byWaiting();
    await pending(job);
    await check();

    expect(await alerts()).toEqual([]);
  });

  it('a low priority does not hide a job behind others of its limit', async () => {
    await byWaiting();
    await pending({ stage: 'held', priority: 9, dueForS: 1 });
    await pending({ stage: 'held', priority: 0, dueForS: 120 });
    await check();

    expect(await alerts()).toHaveLength(1);
  });

  it('an alert is resolved when the job no longer waits', async () => {
    await byWaiting();
    await pending({ dueForS: 120 });
    await check();
    await world.db.liveJob.updateMany({ where: { orgId: person.orgId }, data: { status: 'processing' } });
    await check();

    expect(await alerts()).toMatchObject([{ resolvedAt: expect.any(Date) }]);
  });
});

describe('alerts', () => {
  it('both kinds can be raised at the same time', async () => {
    await choose(person, { email: true, failure_rate_percent: 20, oldest_waiting_seconds: 60 });
    await ended({ failed: 20 });
    await pending({ dueForS: 120 });
    await check();

    expect((await alerts()).map(({ kind }) => kind).sort()).toEqual(['failure_rate', 'oldest_waiting']);
  });

  it('an organization that has chosen neither email nor webhooks gets none', async () => {
    await choose(person, { failure_rate_percent: 20 });
    await ended({ failed: 20 });
    await check();

    expect(await alerts()).toEqual([]);
  });

  it('an alert is not raised twice while it is unresolved, also after an hour', async () => {
    await choose(person, { email: true, failure_rate_percent: 20 });
    await ended({ failed: 20 });
    await check();
    await raisedEarlier(120);
    await check();

    expect(await alerts()).toHaveLength(1);
  });

  it('a second alert within an hour of one that was sent is silent, and one after the hour is not', async () => {
    await choose(person, { email: true, failure_rate_percent: 20 });
    const episode = async () => {
      await ended({ failed: 20 });
      await check();
      await endEarlier(world.db, person.orgId, 15);
      await check();
    };
    await episode();
    await episode();
    await raisedEarlier(59);
    await episode();
    await raisedEarlier(1);
    await episode();

    const silent = await world.db.alert.findMany({ where: { orgId: person.orgId }, orderBy: { id: 'asc' } });
    expect(silent.map(({ isSilent }) => isSilent)).toEqual([false, true, true, false]);
    expect(await unresolved()).toEqual([]);
  });

  it('an alert of one kind does not delay one of the other', async () => {
    await choose(person, { email: true, failure_rate_percent: 20, oldest_waiting_seconds: 60 });
    await ended({ failed: 20 });
    await check();
    await pending({ dueForS: 120 });
    await check();

    expect(await unresolved()).toHaveLength(2);
  });

  it.each([{ failure_rate_percent: null }, { failure_rate_percent: 100 }, { email: false }])(
    'an alert is resolved when the settings become %j',
    async (change) => {
      await choose(person, { email: true, failure_rate_percent: 20 });
      await ended({ failed: 20 });
      await check();
      await choose(person, change);
      await check();

      expect(await alerts()).toMatchObject([{ resolvedAt: expect.any(Date) }]);
    },
  );

  it('concurrent checks raise an alert once', async () => {
    await choose(person, { email: true, failure_rate_percent: 20 });
    await ended({ failed: 20 });
    await Promise.all(Array.from({ length: 6 }, check));

    expect(await alerts()).toHaveLength(1);
  });

  it('an organization whose check fails does not stop the others', async () => {
    const broken = await register(api.call);
    for (const one of [broken, person]) {
      await choose(one, { email: true, failure_rate_percent: 20 });
      await storeEnded(world.db, one.orgId, { failed: 20 });
    }
    await world.db
      .$executeRaw`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''as the test wants''; END'`;
    await world.db.$executeRawUnsafe(
      `CREATE TRIGGER refuse BEFORE INSERT ON alerts FOR EACH ROW WHEN (NEW.org_id = '${broken.orgId}') EXECUTE FUNCTION refuse()`,
    );
    const failed = await checkAll(world.db);
    await world.db.$executeRaw`DROP FUNCTION refuse CASCADE`;

    expect(failed).toBe(1);
    expect(await alerts()).toHaveLength(1);
    expect(await alertsOf(world.db, broken)).toEqual([]);
  });

  it('an alert is deleted 30 days after it was resolved, and never before', async () => {
    await choose(person, { email: true, failure_rate_percent: 20 });
    await ended({ failed: 20 });
    await check();
    await raisedEarlier(60 * 24 * 40);
    const resolvedAt = (days: number) => world.db.$executeRaw`
      UPDATE alerts SET resolved_at = now() - ${days}::int * interval '1 day' WHERE org_id = ${person.orgId}::uuid`;
    const numbers: number[] = [];
    for (const days of [null, 29, 31]) {
      if (days !== null) await resolvedAt(days);
      await deleteExpired(world.db, 'alerts', 1_000);
      numbers.push((await alerts()).length);
    }

    expect(numbers).toEqual([1, 1, 0]);
  });

  async function raisedEarlier(minutes: number): Promise<void> {
    await world.db.$executeRaw`
      UPDATE alerts SET raised_at = raised_at - ${minutes}::int * interval '1 minute' WHERE org_id = ${person.orgId}::uuid`;
  }
});
