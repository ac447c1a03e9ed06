import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';
import { createSchedule } from './support.js';

const BODY = { name: 'nightly', cron: '30 2 * * *', type: 'no.handler', payload: {} };

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

let names = 0;
const fresh = () => `name ${++names}`;
const create = (more: object, headers = {}) =>
  person.post('/schedules', { ...BODY, name: fresh(), ...more }, { headers });

describe('GET /schedules', () => {
  it('lists the newest first, page by page, with the complete schedules', async () => {
    const other = await register(api.call);
    const made = [];
    for (let n = 0; n < 5; n++) made.unshift(await createSchedule(other));
    expect((await other.get('/schedules')).body).toEqual(made);

    const first = await other.get('/schedules?limit=2');
    expect(first.body).toEqual(made.slice(0, 2));
    const second = await other.get(`/schedules?limit=3&cursor=${first.headers.get('x-next-cursor')}`);
    expect(second.body).toEqual(made.slice(2));
    expect(second.headers.get('x-next-cursor')).toBeNull();
  });

  it('lists the schedules whose name contains a text, in upper or lower case', async () => {
    const other = await register(api.call);
    const [, report, again] = [
      await createSchedule(other, { name: 'Sync 100%' }),
      await createSchedule(other, { name: 'Nightly REPORT_1', cron: '30 2 * * 1' }),
      await createSchedule(other, { name: 'report 2', cron: '30 2 * * 1', timezone: 'Africa/Nairobi' }),
    ];
    const named = async (name: string) => (await other.get(`/schedules?name=${encodeURIComponent(name)}`)).body;

    expect(await named('Report')).toEqual([again, report]);
    expect([again.description, report.description]).toEqual([
      'At 02:30, only on Monday (Africa/Nairobi)',
      'At 02:30, only on Monday (UTC)',
    ]);
    expect(await named('t_1')).toEqual([report]);
    expect(await named('%')).toMatchObject([{ name: 'Sync 100%', description: 'Every hour' }]);
    expect(await named('nothing')).toEqual([]);
  });

  it('a page ends early if its payloads are large, and the next pages have the rest', async () => {
    const other = await register(api.call);
    const made = [];
    for (let n = 0; n < 9; n++)
      made.unshift((await createSchedule(other, { payload: { text: 'x'.repeat(900_000) } })).id);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let path: string | undefined = '/schedules'; path !== undefined; ) {
      const page = await other.get(path);
      sizes.push(page.body.length);
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(made);
    expect(sizes).toEqual([3, 3, 3]);
  });

  it.each(['limit=0', 'limit=1001', 'cursor=x', 'name='])('?%s is a 400', async (query) => {
    expectError(await person.get(`/schedules?${query}`), 400, 'validation_failed', [query.split('=')[0] ?? '']);
  });

  it.each(['x', 'preview', '00000000-0000-0000-0000-000000000000', 'A'.repeat(36)])('%s is a 404', async (id) => {
    for (const [method, path] of [
      ['PATCH', `/schedules/${id}`],
      ['DELETE', `/schedules/${id}`],
      ['POST', `/schedules/${id}/run`],
    ] as const) {
      const answer = await api.call(method, path, {
        token: person.token,
        ...(method === 'PATCH' && { body: { tags: [] } }),
      });
      if (id === 'preview' && !path.endsWith('run')) expectError(answer, 405, 'method_not_allowed');
      else expectError(answer, 404, 'not_found');
    }
  });
});

it('creation, changes, pauses and the deletion of a schedule are in the audit log', async () => {
  const other = await register(api.call);
  const { id, name } = await createSchedule(other);
  await other.patch(`/schedules/${id}`, { priority: 1 });
  await other.patch(`/schedules/${id}`, { enabled: false });
  await other.patch(`/schedules/${id}`, { enabled: false });
  await other.patch(`/schedules/${id}`, { enabled: true, name: 'renamed' });
  await other.post(`/schedules/${id}/run`);
  await other.delete(`/schedules/${id}`);

  const entries = (await other.get('/org/audit')).body as { action: string; target: { id: string; name: string } }[];
  const own = entries.filter(({ action }) => action.startsWith('schedule.')).reverse();
  expect(own.map(({ action, target }) => [action, target.id, target.name])).toEqual([
    ['schedule.created', id, name],
    ['schedule.changed', id, name],
    ['schedule.paused', id, name],
    ['schedule.changed', id, 'renamed'],
    ['schedule.resumed', id, 'renamed'],
    ['schedule.deleted', id, 'renamed'],
  ]);
});

describe('Idempotency-Key of POST /schedules', () => {
  it('a repeated request gets the same answer, and creates nothing', async () => {
    const headers = { 'idempotency-key': 'create-1' };
    const body = { name: fresh(), cron: '0 9 * * *', payload: { b: 1, a: 2 }, tags: ['x', 'y'] };
    const first = await create(body, headers);
    const again = await create(
      { payload: { a: 2, b: 1 }, tags: ['y', 'x'], name: body.name, cron: body.cron },
      headers,
    );

    expect([first.status, again.status]).toEqual([201, 201]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual({ ...first.body, payload: { a: 2, b: 1 }, tags: ['y', 'x'] });
    const named = ((await person.get('/schedules?limit=1000')).body as { name: string }[]).filter(
      ({ name }) => name === body.name,
    );
    expect(named).toHaveLength(1);
  });

  it('one schedule comes out of many simultaneous requests with one key', async () => {
    const name = fresh();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create({ name }, { 'idempotency-key': 'create-many' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  });

  it('a key with different content is a 422, also at another endpoint', async () => {
    const headers = { 'idempotency-key': 'create-2' };
    const name = fresh();
    expect((await create({ name }, headers)).status).toBe(201);
    for (const more of [
      { payload: { a: 1 } },
      { overlap: 'skip' },
      { key: 'k' },
      { cron: '@daily' },
      { type: 'other' },
    ]) {
      expectError(await create({ name, ...more }, headers), 422, 'idempotency_key_reused');
    }
    expectError(await person.post('/jobs', { type: 't', payload: {} }, { headers }), 422, 'idempotency_key_reused');
  });

  it('a replay is answered after the schedule and its limit are deleted', async () => {
    const headers = { 'idempotency-key': 'create-3' };
    await person.put('/org/limits/passing', { concurrency: 1 });
    const body = { name: fresh(), limit: 'passing' };
    const first = await create(body, headers);
    await person.patch(`/schedules/${first.body.id}`, { enabled: false });
    await person.delete(`/schedules/${first.body.id}`);
    await person.delete('/org/limits/passing');

    const again = await create(body, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await person.get(`/schedules/${first.body.id}`)).status).toBe(404);
  });

  it('a failure does not use the key up', async () => {
    const headers = { 'idempotency-key': 'create-4' };
    const name = fresh();
    await create({ name });
    expectError(await create({ name }, headers), 409, 'conflict');
    expectError(await create({ name: fresh(), limit: 'nowhere' }, headers), 400, 'validation_failed');
    expect((await create({ name: fresh() }, headers)).status).toBe(201);
  });
});
