import { SCOPES } from '@jobline/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  type Person,
  readEvents,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  owner = await register(api.call);
});
afterAll(() => world.end());

const as = (key: string) => ({
  get: (path: string) => api.call('GET', path, { key }),
  post: (path: string, body: object = {}) => api.call('POST', path, { key, body }),
});

describe('a key that is restricted to some job types', () => {
  const restricted = async (types: string[]) => as((await newKey(owner, 'a', { scopes: SCOPES, types })).key);
  const submit = async (type: string, more = {}) =>
    (await owner.post('/jobs', { type, payload: {}, tags: ['t'], key: 'k', ...more })).body.id as string;
  const idsIn = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id);

  it('submits only these types, alone, in batches and by schedules', async () => {
    const shop = await restricted(['a', 'send_sms']);
    const job = (type: string) => ({ type, payload: {} });
    const every = { every_seconds: 3_600, payload: {} };

    expect((await shop.post('/jobs', job('a'))).status).toBe(202);
    expectError(await shop.post('/jobs', job('b')), 403, 'forbidden', ['type']);
    expectError(await shop.post('/jobs', { Type: 'b', Payload: {} }), 403, 'forbidden', ['Type']);
    expectError(await shop.post('/jobs/batch', { jobs: [job('a'), job('b')] }), 403, 'forbidden', ['jobs[1].type']);
    const { body } = await shop.post('/jobs/batch?mode=each', { jobs: [job('a'), job('b')] });
    expect(body.jobs).toEqual([
      expect.objectContaining({ status: 'pending' }),
      { error: expect.objectContaining({ code: 'forbidden' }) },
    ]);
    expectError(await shop.post('/schedules', { ...every, name: 'b', type: 'b' }), 403, 'forbidden', ['type']);
    const own = await shop.post('/schedules', { ...every, name: 'a', type: 'a' });
    expect(own.status).toBe(201);
    const key = (await newKey(owner, 'a', { scopes: SCOPES, types: ['a'] })).key;
    const change = await api.call('PATCH', `/schedules/${own.body.id}`, { key, body: { type: 'b' } });
    expectError(change, 403, 'forbidden', ['type']);
    expectError(await shop.post('/email/send', { to: 'a@b.example', subject: 'a', body: 'b' }), 403, 'forbidden');
    expect((await shop.post('/sms/send', { to: '+254711000111', message: 'text' })).status).toBe(200);
  });

  it('sees only the jobs of these types in every list', async () => {
    const [a, b] = [await submit('a'), await submit('b')];
    const [one, both, none] = [await restricted(['a']), await restricted(['a', 'b']), await restricted([])];

    for (const query of ['', '?status=pending', '?tag=t', '?key=k', '?limit=1']) {
      expect(idsIn(await one.get(`/jobs${query}`)), query).toEqual([a]);
      expect(idsIn(await none.get(`/jobs${query}`)), query).toEqual([]);
    }
    expect(idsIn(await both.get('/jobs'))).toEqual([b, a]);
    expect(idsIn(await both.get('/jobs?type=b'))).toEqual([b]);
    expect(idsIn(await one.get('/jobs?type=b'))).toEqual([]);
    expect((await one.get('/stats/jobs')).body).toMatchObject({ by_status: { pending: 1 }, by_type: { a: 1 } });
    const deliveries = await one.get('/stats/webhooks');
    expectError(deliveries, 403, 'forbidden');
    expect(deliveries.body.error.message).toContain('restricted to some job types');
    expect((await one.get('/job-types')).body).toEqual([]);
    const shop = await restricted(['send_sms']);
    expect((await shop.get('/job-types')).body.map(({ type }: { type: string }) => type)).toEqual(['send_sms']);
    expect((await shop.get('/email/messages')).body).toEqual([]);
  });

  it('sees only the failures of these types', async () => {
    for (const type of ['a', 'b']) await owner.post(`/jobs/${await submit(type)}/cancel`);
    const one = await restricted(['a']);

    for (const query of ['', '?error_code=canceled', '?status=failed']) {
      const { body } = await one.get(`/jobs${query}`);
      expect(
        body.map(({ type }: { type: string }) => type),
        query,
      ).toEqual(['a']);
    }
    expect((await one.get('/stats/failures')).body).toEqual([expect.objectContaining({ type: 'a', count: 1 })]);
    expect((await owner.get('/stats/failures')).body).toHaveLength(2);
  });

  it('follows only the jobs of these types', async () => {
    const { key } = await newKey(owner, 'a', { types: ['a'] });
    const stream = await readEvents(`${api.url}/jobs/events`, { key });
    const everything = await readEvents(`${api.url}/jobs/events`, { token: owner.token });

    const ids = [await submit('b'), await submit('a'), await submit('b'), await submit('a'), await submit('b')];

    await until('all events', () => everything.events.length === 5);
    await until('the position after the hidden event', () => stream.lastEventId() === everything.lastEventId());
    expect(stream.events.map(({ data }) => data.id)).toEqual([ids[1], ids[3]]);
    await Promise.all([stream.close(), everything.close()]);
  });

  it('gets 404 for everything of another type', async () => {
    const id = await submit('b');
    const every = { name: 'b', type: 'b', every_seconds: 3_600, payload: {} };
    const schedule = (await owner.post('/schedules', every)).body.id;
    const { key } = await newKey(owner, 'a', { scopes: SCOPES, types: ['a'] });
    const call = (method: string, path: string, body?: object) =>
      api.call(method, path, { key, ...(body && { body }) });

    for (const part of [
      '',
      '/logs',
      '/attempts',
      '/result',
      '/artifacts',
      '/artifacts/a.pdf',
      '/events',
      '/callbacks',
    ]) {
      expectError(await call('GET', `/jobs/${id}${part}`), 404, 'not_found');
    }
    for (const action of ['cancel', 'retry', 'rerun']) {
      expectError(await call('POST', `/jobs/${id}/${action}`), 404, 'not_found');
    }
    expectError(await call('PATCH', `/jobs/${id}`, { priority: 1 }), 404, 'not_found');
    expectError(await call('DELETE', `/jobs/${id}`), 404, 'not_found');
    expectError(await call('GET', `/schedules/${schedule}`), 404, 'not_found');
    expectError(await call('PATCH', `/schedules/${schedule}`, { enabled: false }), 404, 'not_found');
    expectError(await call('POST', `/schedules/${schedule}/run`), 404, 'not_found');
    expectError(await call('DELETE', `/schedules/${schedule}`), 404, 'not_found');
    expect((await call('GET', '/schedules')).body).toEqual([]);
    expect((await owner.get(`/jobs/${id}`)).body).toMatchObject({ status: 'pending' });
  });

  it('gets the same response to a repeated request after its job or schedule was deleted', async () => {
    const id = await submit('a');
    await owner.post(`/jobs/${id}/cancel`);
    const every = { name: 'a', type: 'a', every_seconds: 3_600, payload: {} };
    const schedule = (await owner.post('/schedules', every)).body.id;
    const keyOf = async (types: string[]) => (await newKey(owner, 'a', { scopes: SCOPES, types })).key;
    const [own, other] = [await keyOf(['a']), await keyOf(['b'])];

    for (const [path, object] of [
      [`/jobs/${id}/rerun`, `/jobs/${id}`],
      [`/schedules/${schedule}/run`, `/schedules/${schedule}`],
    ] as const) {
      const repeat = (key: string, idempotencyKey: string = path) =>
        api.call('POST', path, { key, headers: { 'Idempotency-Key': idempotencyKey } });
      const first = await repeat(own);
      expect((await owner.delete(object)).status).toBe(204);

      expect([first.status, (await repeat(own)).body]).toEqual([202, first.body]);
      expectError(await repeat(other), 404, 'not_found');
      expectError(await repeat(own, `${path}-again`), 404, 'not_found');
    }
  });

  it('changes only jobs of these types in bulk, and sees no other bulk action', async () => {
    const ids = [await submit('a'), await submit('b')];
    const one = await restricted(['a']);
    const cancel = (filter: object) => ({ action: 'cancel', filter });
    const all = (await owner.post('/jobs/bulk', cancel({ tag: 'none' }))).body.id;

    for (const filter of [{ ids }, { status: 'pending' }, { tag: 't' }, { key: 'k' }]) {
      const { body } = await one.post('/jobs/bulk', { ...cancel(filter), dry_run: true });
      expect(body, JSON.stringify(filter)).toEqual({ matches: 1 });
    }
    expect((await one.post('/jobs/bulk', { ...cancel({ type: 'b' }), dry_run: true })).body).toEqual({ matches: 0 });
    const started = (await one.post('/jobs/bulk', cancel({ ids }))).body;
    expect(started.total).toBe(1);
    expect(idsIn(await one.get('/jobs/bulk'))).toEqual([started.id]);
    expectError(await one.get(`/jobs/bulk/${all}`), 404, 'not_found');
    expectError(await one.post(`/jobs/bulk/${all}/stop`), 404, 'not_found');
    expect(idsIn(await (await restricted(['b'])).get('/jobs/bulk'))).toEqual([]);
    expect(idsIn(await owner.get('/jobs/bulk'))).toEqual([started.id, all]);
  });
});
