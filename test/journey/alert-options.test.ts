import type { AlertSettings } from '@jobline/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, expectError } from '../api/support.js';
import { createWorld, type Person, register, type TestApi, type World } from '../harness/index.js';
import { alertsOf, checkAll, choose, endEarlier, storeEnded, storePending } from './alert-jobs.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

const ended = (jobs: Parameters<typeof storeEnded>[2]) => storeEnded(world.db, person.orgId, jobs);
const check = async () => expect(await checkAll(world.db)).toBe(0);
const byRate = (more: Partial<AlertSettings>) => choose(person, { email: true, failure_rate_percent: 20, ...more });
const unresolved = async () =>
  (await alertsOf(world.db, person)).filter(({ resolvedAt }) => resolvedAt === null).length;
const list = async (by = person) => (await by.get('/org/alerts')).body;

describe('the number of jobs', () => {
  it.each([
    [1, { failed: 1 }, 1],
    [50, { failed: 49 }, 0],
    [50, { failed: 50 }, 1],
    [1_000, { failed: 999 }, 0],
  ])('with min_jobs %i, %j raise %i', async (minJobs, jobs, raised) => {
    await byRate({ min_jobs: minJobs });
    await ended(jobs);
    await check();

    expect(await unresolved()).toBe(raised);
  });

  it('an alert is resolved when fewer than min_jobs jobs are left in the window', async () => {
    await byRate({ min_jobs: 10 });
    await ended({ failed: 9, minutesAgo: 2 });
    await ended({ failed: 1, minutesAgo: 10 });
    await check();
    expect(await unresolved()).toBe(1);
    await endEarlier(world.db, person.orgId, 6);
    await check();

    expect(await unresolved()).toBe(0);
  });

  it.each(['canceled', 'expired', 'dependency_failed'] as const)(
    'jobs that ended with %s do not count',
    async (code) => {
      await byRate({ min_jobs: 10 });
      await ended({ failed: 1_000, code });
      await ended({ done: 8, failed: 1 });
      await check();
      expect(await unresolved()).toBe(0);
      await ended({ failed: 1 });
      await check();
      expect(await unresolved()).toBe(0);
      await ended({ failed: 1 });
      await check();

      expect(await alertsOf(world.db, person)).toMatchObject([{ value: 27.3 }]);
    },
  );
});

describe('the types', () => {
  it('only jobs of these types count for the failure rate', async () => {
    await byRate({ types: ['send_sms', 'webhook'] });
    await ended({ failed: 100, type: 'send_email' });
    await ended({ done: 90, failed: 10 });
    await check();
    expect(await unresolved()).toBe(0);
    await ended({ failed: 50, type: 'send_sms' });
    await check();

    expect(await alertsOf(world.db, person)).toMatchObject([{ value: 40 }]);
  });

  it.each(['waiting', 'held', 'scheduled', 'enqueued'] as const)(
    'only jobs of these types count for the longest wait of those that are %s',
    async (stage) => {
      await choose(person, { email: true, oldest_waiting_seconds: 60, types: ['send_sms'] });
      await storePending(world.db, person.orgId, { stage, dueForS: 600, type: 'webhook' });
      await storePending(world.db, person.orgId, { stage, dueForS: 10, type: 'send_sms' });
      await check();
      expect(await unresolved()).toBe(0);
      await choose(person, { email: true, oldest_waiting_seconds: 5, types: ['send_sms', 'other'] });
      await check();

      const [alert] = await alertsOf(world.db, person);
      expect(alert?.value).toBeLessThan(300);
    },
  );

  it('an empty list means all types', async () => {
    await byRate({ types: [] });
    await ended({ failed: 20 });
    await check();

    expect(await unresolved()).toBe(1);
    expect((await person.get('/org/settings')).body.alerts.types).toEqual([]);
  });
});

describe('GET /org/alerts', () => {
  it('lists the open alerts first, also a silent one, to owners and admins only', async () => {
    expect(await list()).toEqual([]);
    await byRate({ oldest_waiting_seconds: 60 });
    await ended({ failed: 20 });
    await storePending(world.db, person.orgId, { stage: 'held', dueForS: 120 });
    await check();
    const open = await list();
    expect(open).toHaveLength(2);
    await endEarlier(world.db, person.orgId, 15);
    await check();
    const [waiting, rate] = await list();
    expect(waiting).toMatchObject({ kind: 'oldest_waiting', threshold: 60, resolved_at: null });
    expect(rate).toEqual({
      id: expect.any(String),
      kind: 'failure_rate',
      threshold: 20,
      value: 100,
      since: expect.any(String),
      resolved_at: expect.any(String),
    });
    await ended({ failed: 20 });
    await check();

    expect((await list()).map((one: typeof rate) => [one.kind, one.resolved_at])).toEqual([
      ['failure_rate', null],
      ['oldest_waiting', null],
      ['failure_rate', expect.any(String)],
    ]);
    const admin = await addMember(world, api, person.orgId, 'admin');
    expect(await list(admin)).toHaveLength(3);
    const member = await addMember(world, api, person.orgId, 'member');
    expectError(await member.get('/org/alerts'), 403, 'forbidden');
    expect(await list(await register(api.call))).toEqual([]);
  });

  it('lists at most 100', async () => {
    await world.db.$executeRaw`
      INSERT INTO alerts (id, org_id, kind, threshold, value, raised_at, resolved_at, is_mail_due)
      SELECT gen_random_uuid(), ${person.orgId}::uuid, 'failure_rate', 20, 30, now() - n * interval '1 min', now(), false
      FROM generate_series(1, 150) AS n`;

    const alerts = await list();
    expect(alerts).toHaveLength(100);
    const times = alerts.map(({ since }: { since: string }) => since);
    expect(times).toEqual([...times].sort().reverse());
  });
});
