import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  letTimePass,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError, expectUnauthenticated, newKey } from '../support.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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

const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();
const as = (key: string) => ({
  get: (path: string) => api.call('GET', path, { key }),
  post: (path: string, body: object = {}) => api.call('POST', path, { key, body }),
});
const rowOf = async (id: string) =>
  (await owner.get('/org/api-keys')).body.find((row: { id: string }) => row.id === id);

describe('a new API key', () => {
  it('reads and writes jobs of all types, and does not expire, unless its request says otherwise', async () => {
    const { id } = await newKey(owner);

    const usual = { scopes: ['jobs:read', 'jobs:write'], types: null, expires_at: null, replaced_by: null };
    expect(await rowOf(id)).toMatchObject(usual);
  });

  it('shows what its request has chosen', async () => {
    const access = { scopes: ['stats:read', 'jobs:read'], types: ['b', 'a'], expires_at: inFuture(DAY_MS) };

    const { status, body } = await owner.post('/org/api-keys', { name: 'a', ...access });

    const shown = { ...access, types: ['a', 'b'] };
    expect([status, body]).toEqual([201, expect.objectContaining(shown)]);
    expect(await rowOf(body.id)).toMatchObject(shown);
  });

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: null }, 'scopes'],
    [{ scopes: 'jobs:read' }, 'scopes'],
    [{ scopes: ['jobs:all'] }, 'scopes[0]'],
    [{ scopes: ['jobs:read', 'jobs:read'] }, 'scopes[1]'],
    [{ types: ['not a type'] }, 'types[0]'],
    [{ types: ['a', 'a'] }, 'types[1]'],
    [{ types: Array.from({ length: 51 }, (_, n) => `type-${n}`) }, 'types'],
    [{ types: 'a' }, 'types'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: inFuture(370 * DAY_MS) }, 'expires_at'],
  ])('with %.60j is rejected, and the field is named', async (access, path) => {
    expectError(await owner.post('/org/api-keys', { name: 'a', ...access }), 400, 'validation_failed', [path]);
  });

  it('with an expiry is rejected from that moment on', async () => {
    const expires_at = inFuture(2_000);
    const { key } = await newKey(owner, 'a', { expires_at });

    const answer = await until('the key to expire', async () => {
      const isExpired = () => Date.now() >= Date.parse(expires_at);
      const wasExpired = isExpired();
      const one = await as(key).get('/jobs');
      if (!isExpired()) expect(one.status).toBe(200);
      return wasExpired && one;
    });

    expectUnauthenticated(answer);
  });
});

describe('PATCH /org/api-keys/{id}', () => {
  const change = (id: string, body: object) => owner.patch(`/org/api-keys/${id}`, body);

  it('changes what is given, answers with the key as it is listed, and leaves the rest', async () => {
    const expires_at = inFuture(DAY_MS);
    const key = await newKey(owner, 'backend', { scopes: ['jobs:read'], types: ['a'], expires_at });

    const renamed = await change(key.id, { name: ' Shop ' });
    const opened = await change(key.id, { scopes: ['jobs:write'], types: null, expires_at: null });

    expect(renamed).toMatchObject({
      status: 200,
      body: { name: 'Shop', scopes: ['jobs:read'], types: ['a'], expires_at },
    });
    expect(opened).toMatchObject({
      status: 200,
      body: { name: 'Shop', scopes: ['jobs:write'], types: null, expires_at: null },
    });
    expect(opened.body).toEqual(await rowOf(key.id));
    const [entry] = (await owner.get('/org/audit?action=api_key.changed')).body;
    expect(entry).toMatchObject({
      target: { id: key.id, name: 'Shop' },
      details: { prefix: (await rowOf(key.id)).prefix },
    });
  });

  it('restricts the key from the next request on', async () => {
    const key = await newKey(owner, 'backend', { scopes: ['jobs:read', 'jobs:write'], types: null });
    expect((await as(key.key).get('/jobs')).status).toBe(200);

    expect((await change(key.id, { scopes: ['jobs:write'] })).status).toBe(200);

    expectError(await as(key.key).get('/jobs'), 403, 'forbidden');
  });

  it.each([
    ['nothing', {}, ''],
    ['an unknown scope', { scopes: ['all'] }, 'scopes[0]'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['a time in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['a name that is null', { name: null }, 'name'],
  ])('a change with %s is rejected', async (_what, body, path) => {
    const { id } = await newKey(owner);

    expectError(await change(id, body), 400, 'validation_failed', [path]);
  });

  it('an expired key, and one of another organization, cannot be changed', async () => {
    const { id } = await newKey(owner);
    expectError(await (await register(api.call)).patch(`/org/api-keys/${id}`, { name: 'mine' }), 404, 'not_found');
    await world.db.apiKey.update({ where: { id }, data: { expiresAt: new Date() } });

    expectError(await change(id, { expires_at: inFuture(DAY_MS) }), 409, 'conflict');
  });
});

describe('POST /org/api-keys/{id}/rotate', () => {
  const rotate = (id: string, body?: object) => owner.post(`/org/api-keys/${id}/rotate`, body);

  it('makes a key with the same name, scopes, types and expiry, and both work for the overlap', async () => {
    const access = { scopes: ['jobs:read'], types: ['a'], expires_at: inFuture(100 * DAY_MS) };
    const old = await newKey(owner, 'backend', access);

    const { status, body } = await rotate(old.id, { overlap_hours: 2 });

    expect([status, body]).toEqual([201, expect.objectContaining({ name: 'backend', ...access })]);
    expect(body.id).not.toBe(old.id);
    const ended = await rowOf(old.id);
    expect(ended.replaced_by).toBe(body.id);
    expect(Date.parse(ended.expires_at)).toBeLessThanOrEqual(Date.now() + 2 * HOUR_MS);
    for (const key of [old.key, body.key]) expect((await as(key).get('/jobs')).status).toBe(200);
    await world.db.apiKey.update({ where: { id: old.id }, data: { expiresAt: new Date() } });
    letTimePass(5_000);
    expectUnauthenticated(await as(old.key).get('/jobs'));
    expect((await as(body.key).get('/jobs')).status).toBe(200);
    const [entry] = (await owner.get('/org/audit?action=api_key.rotated')).body;
    expect(entry).toMatchObject({ target: { id: old.id, name: 'backend' }, details: { prefix: body.prefix } });
  });

  it('ends the old key after a day if the request does not say when, and at once with an overlap of 0', async () => {
    const [usual, immediate] = [await newKey(owner), await newKey(owner)];

    expect((await rotate(usual.id)).status).toBe(201);
    expect((await rotate(immediate.id, { overlap_hours: 0 })).status).toBe(201);

    const left = Date.parse((await rowOf(usual.id)).expires_at) - Date.now();
    expect(Math.round(left / HOUR_MS)).toBe(24);
    expect((await as(usual.key).get('/jobs')).status).toBe(200);
    expectUnauthenticated(await as(immediate.key).get('/jobs'));
  });

  it('leaves an earlier expiry of the old key', async () => {
    const expires_at = inFuture(HOUR_MS);
    const { id } = await newKey(owner, 'a', { expires_at });

    expect((await rotate(id)).body.expires_at).toBe(expires_at);

    expect((await rowOf(id)).expires_at).toBe(expires_at);
  });

  it.each([-1, 169, 1.5, '2', null])('rejects an overlap of %j hours', async (overlap_hours) => {
    const { id } = await newKey(owner);
    expectError(await rotate(id, { overlap_hours }), 400, 'validation_failed', ['overlap_hours']);
  });

  it('refuses a key that was rotated or has expired, and hides the keys of others', async () => {
    const { id } = await newKey(owner);
    const strange = await newKey(await register(api.call));
    const answers = await Promise.all([rotate(id), rotate(id)]);
    const immediate = await newKey(owner);
    await rotate(immediate.id, { overlap_hours: 0 });

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expectError(await rotate(immediate.id), 409, 'conflict');
    for (const unknown of [strange.id, '00000000-0000-0000-0000-000000000000', 'nope']) {
      expectError(await rotate(unknown), 404, 'not_found');
    }
  });
});
