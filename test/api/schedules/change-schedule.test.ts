import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { expectError } from '../support.js';
import { createSchedule, jobIdOf, jobsOf, makeDue, readSchedule } from './support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  await person.put('/org/limits/slow', { concurrency: 1 });
});
afterAll(() => world.end());

const change = (id: string, body: object) => person.patch(`/schedules/${id}`, body);

describe('PATCH /schedules/{id}', () => {
  it.each([
    { name: 'another name' },
    { type: 'another.type' },
    { payload: { another: 1 } },
    { max_retries: 3 },
    { priority: 4 },
    { tags: ['a'] },
    { tags: [] },
    { limit: 'slow' },
    { key: 'k' },
    { callback_url: 'https://example.com/' },
    { overlap: 'skip' },
    { missed: 'run_all' },
    { timezone: 'Europe/Berlin' },
  ])('%o changes this field and nothing else', async (fields) => {
    const before = await createSchedule(person);
    const { status, body } = await change(before.id, fields);
    expect([status, body]).toEqual([200, { ...before, ...fields }]);
    expect(await readSchedule(person, before.id)).toEqual(body);
  });

  it('null takes the limit, the key and the callback away', async () => {
    const before = await createSchedule(person, { limit: 'slow', key: 'k', callback_url: 'https://example.com/' });
    const { body } = await change(before.id, { limit: null, key: null, callback_url: null });
    expect(body).toEqual({ ...before, limit: null, key: null, callback_url: null });
  });

  it('cron takes every_seconds away, and the reverse', async () => {
    const { id } = await createSchedule(person);
    const cron = (await change(id, { cron: '0 5 * * *' })).body;
    expect(cron).toMatchObject({ cron: '0 5 * * *', every_seconds: null });
    expect(cron.next_run_at).toMatch(/T05:00:00\.000Z$/);
    const period = (await change(id, { every_seconds: 50, cron: null })).body;
    expect(period).toMatchObject({ cron: null, every_seconds: 50 });
    expect(Math.abs(Date.parse(period.next_run_at) - Date.now() - 50_000)).toBeLessThan(20_000);
  });

  it('another time zone gives a cron schedule another next time', async () => {
    const { id } = await createSchedule(person, { cron: '0 5 * * *' });
    const { body } = await change(id, { timezone: 'Asia/Kathmandu' });
    expect(body.next_run_at).toMatch(/T23:15:00\.000Z$/);
  });

  it('the same timing keeps the next time', async () => {
    const before = await createSchedule(person, { every_seconds: 500 });
    const { body } = await change(before.id, { every_seconds: 500, timezone: 'Europe/Rome', priority: 2 });
    expect(body.next_run_at).toBe(before.next_run_at);
  });

  it.each([
    ['an empty body', {}, ['']],
    ['an unknown field', { color: 1 }, ['color', '']],
    ['a field that the service sets', { skipped: 1, name: 'x' }, ['skipped']],
    ['both timings', { cron: '@daily', every_seconds: 60 }, ['every_seconds']],
    ['no timing', { every_seconds: null }, ['cron']],
    ['a bad cron', { cron: '* *' }, ['cron']],
    ['null as name', { name: null }, ['name']],
    ['null as payload', { payload: null }, ['payload']],
    ['null as enabled', { enabled: null }, ['enabled']],
    ['null as tags', { tags: null }, ['tags']],
    ...['type', 'timezone', 'overlap', 'missed', 'max_retries', 'priority'].map((field): [string, object, string[]] => [
      `null as ${field}`,
      { [field]: null },
      [field],
    ]),
    ['an unknown time zone', { timezone: 'Europe/Nowhere' }, ['timezone']],
    ['a short period', { every_seconds: 4 }, ['every_seconds']],
    ['a long period', { every_seconds: 31_536_001 }, ['every_seconds']],
    ['an unknown overlap', { overlap: 'queue' }, ['overlap']],
    ['an unknown choice for missed times', { missed: 'all' }, ['missed']],
    ['too many retries', { max_retries: 101 }, ['max_retries']],
    ['a priority that is too high', { priority: 10 }, ['priority']],
    ['equal tags', { tags: ['a', 'a'] }, ['tags[1]']],
    ['an empty key', { key: '' }, ['key']],
    ['a callback URL of another scheme', { callback_url: 'ftp://example.com/' }, ['callback_url']],
    ['a bad type', { type: 'a b' }, ['type']],
    ['a limit that does not exist', { limit: 'nowhere' }, ['limit']],
    ['a type that rejects the payload', { type: 'webhook' }, ['payload.url', 'payload.payload']],
  ])('%s is a 400', async (_what, body, paths) => {
    const before = await createSchedule(person);
    expectError(await change(before.id, body), 400, 'validation_failed', paths);
    expect(await readSchedule(person, before.id)).toEqual(before);
  });

  it('no body at all is a 400', async () => {
    const { id } = await createSchedule(person);
    expectError(await api.call('PATCH', `/schedules/${id}`, { token: person.token }), 400, 'invalid_json');
  });

  it('a payload is checked with the type that the schedule has, and a sender is a 403', async () => {
    const mail = { to: 'a@example.com', subject: 's', body: 'b' };
    const { id } = await createSchedule(person, { type: 'send_email', payload: mail });
    expectError(await change(id, { payload: { to: 1 } }), 400, 'validation_failed', [
      'payload.to',
      'payload.subject',
      'payload.body',
    ]);
    const foreign = { ...mail, from: 'me@not-verified.example' };
    expectError(await change(id, { payload: foreign }), 403, 'sender_domain_not_verified', ['payload.from']);
    expect((await change(id, { payload: { ...mail, subject: 't' } })).body.payload.subject).toBe('t');
  });

  it('a name that is in use is a 409', async () => {
    const [one, other] = [await createSchedule(person), await createSchedule(person)];
    expectError(await change(other.id, { name: one.name }), 409, 'conflict', ['name']);
    expect((await change(one.id, { name: one.name })).status).toBe(200);
  });

  it('a schedule keeps the name of a deleted limit through other changes', async () => {
    await person.put('/org/limits/passing', { concurrency: 1 });
    const { id } = await createSchedule(person, { limit: 'passing' });
    await person.delete('/org/limits/passing');
    expect((await change(id, { priority: 1, limit: 'passing' })).body).toMatchObject({ limit: 'passing', priority: 1 });
    expect((await change(id, { limit: null })).body.limit).toBeNull();
    expectError(await change(id, { limit: 'passing' }), 400, 'validation_failed', ['limit']);
  });

  it('changes at the same moment do not undo each other', async () => {
    const { id } = await createSchedule(person);
    const answers = await Promise.all([
      change(id, { priority: 5 }),
      change(id, { payload: { n: 1 } }),
      change(id, { tags: ['t'] }),
      change(id, { type: 'changed' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await readSchedule(person, id)).toMatchObject({
      priority: 5,
      payload: { n: 1 },
      tags: ['t'],
      type: 'changed',
    });
  });
});

describe('a paused schedule', () => {
  it('has no next time, and none of the times of the pause is made or missed when it is resumed', async () => {
    const { id } = await createSchedule(person, { every_seconds: 60, missed: 'run_all' });
    expect((await change(id, { enabled: false })).body).toMatchObject({ enabled: false, next_run_at: null });
    await world.db.$executeRaw`UPDATE schedules SET anchor_at = anchor_at - interval '90 s' WHERE id = ${id}::uuid`;

    const { body } = await change(id, { enabled: true });
    // The period still counts from its anchor.
    const untilMs = Date.parse(body.next_run_at) - Date.now();
    expect(untilMs).toBeGreaterThan(0);
    expect(untilMs).toBeLessThanOrEqual(30_500);
    expect(await jobsOf(person, id)).toEqual([]);
  });

  it('is not planned even if its timing changes', async () => {
    const { id } = await createSchedule(person, { enabled: false });
    expect((await change(id, { cron: '* * * * *' })).body.next_run_at).toBeNull();
    expect((await change(id, { enabled: true })).body.next_run_at).not.toBeNull();
  });

  it('can be run by hand', async () => {
    const { id } = await createSchedule(person, { enabled: false });
    expect((await person.post(`/schedules/${id}/run`)).status).toBe(202);
    expect(await jobsOf(person, id)).toHaveLength(1);
  });
});

describe('a time that is due already', () => {
  it.each([
    ['a pause', (id: string) => change(id, { enabled: false })],
    ['another timing', (id: string) => change(id, { cron: '@monthly' })],
    ['a deletion', (id: string) => person.delete(`/schedules/${id}`)],
  ])('is made before %s', async (_what, act) => {
    for (let n = 0; n < 5; n++) {
      const { id } = await createSchedule(person);
      const at = await makeDue(world.db, id);
      expect((await act(id)).status).toBeLessThan(300);
      expect((await jobsOf(person, id)).map((job) => job.id)).toEqual([jobIdOf(id, at)]);
    }
  });

  it('keeps the fields of the schedule from before the change', async () => {
    const { id } = await createSchedule(person, { payload: { version: 1 } });
    await makeDue(world.db, id, 10);
    await change(id, { payload: { version: 2 } });
    expect((await jobsOf(person, id)).map(({ payload }) => payload)).toEqual([{ version: 1 }]);
    await makeDue(world.db, id);
    await until('the second job', async () => (await jobsOf(person, id)).length === 2);
    expect((await jobsOf(person, id)).map(({ payload }) => payload)).toEqual([{ version: 1 }, { version: 2 }]);
  });
});

it('DELETE /schedules/{id} keeps the jobs of the schedule, and its name is free again', async () => {
  const { id, name } = await createSchedule(person);
  const job = (await person.post(`/schedules/${id}/run`)).body.id;
  expect((await person.delete(`/schedules/${id}`)).status).toBe(204);

  expectError(await person.get(`/schedules/${id}`), 404, 'not_found');
  expectError(await person.delete(`/schedules/${id}`), 404, 'not_found');
  expectError(await change(id, { priority: 1 }), 404, 'not_found');
  expect((await person.get(`/jobs/${job}`)).body).toMatchObject({ schedule_id: id });
  expect(await jobsOf(person, id)).toHaveLength(1);
  await createSchedule(person, { name });
});
