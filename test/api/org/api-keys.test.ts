import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

const remove = (token: string, id: string) => api.call('DELETE', `/org/api-keys/${id}`, { token });
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /org/api-keys', () => {
  it('shows the key once; the database has its hash', async () => {
    const answer = await owner.post('/org/api-keys', { name: '  Billing  ' });

    expect(answer.status).toBe(201);
    const { id, key } = answer.body;
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: 'Billing',
      key: expect.stringMatching(/^jl_[0-9A-Za-z]{36}$/),
      prefix: key.slice(0, 11),
      scopes: ['jobs:read', 'jobs:write'],
      types: null,
      expires_at: null,
      created_at: isoTime,
    });
    const row = await world.db.apiKey.findUniqueOrThrow({ where: { id } });
    expect(Buffer.from(row.hash)).toEqual(createHash('sha256').update(key).digest());
    expect((await owner.get('/org/api-keys')).text).not.toContain(key);
  });

  it.each([
    [{}, ['name']],
    [{ name: 1, more: 1 }, ['name', 'more']],
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(201) }, ['name']],
    [{ name: 'a\u0007' }, ['name']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await owner.post('/org/api-keys', body), 400, 'validation_failed', paths);
  });
});

describe('GET /org/api-keys', () => {
  it('lists keys newest first, page by page', async () => {
    const person = await register(api.call);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await newKey(person, `key ${n}`)).id);
    const me = (await person.get('/auth/me')).body.user.id;

    const all = await person.get('/org/api-keys');
    expect(all.body.map(({ id }: { id: string }) => id)).toEqual(made);
    expect(all.body[0]).toEqual({
      id: made[0],
      name: 'key 4',
      prefix: expect.stringMatching(/^jl_.{8}$/),
      created_at: isoTime,
      scopes: ['jobs:read', 'jobs:write'],
      types: null,
      expires_at: null,
      created_by: me,
      last_used_at: null,
      replaced_by: null,
    });
    expect(all.headers.get('link')).toBeNull();

    const seen: string[] = [];
    for (let path: string | undefined = '/org/api-keys?limit=2'; path; ) {
      const page = await person.get(path);
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      path = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(made);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'cursor=x',
    'cursor=',
    `cursor=${Buffer.from('1.not-a-uuid').toString('base64url')}`,
  ])('rejects %s', async (query) => {
    expectError(await owner.get(`/org/api-keys?${query}`), 400, 'validation_failed', [query.split('=')[0] ?? '']);
  });
});

describe('DELETE /org/api-keys/{id}', () => {
  it('revokes a key: immediately in the process of the request, within five seconds elsewhere', async () => {
    const other = await world.api();
    const { id, key } = await newKey(owner);
    for (const on of [api, other]) expect((await on.call('GET', '/jobs', { key })).status).toBe(200);

    const answer = await remove(owner.token, id);

    expect([answer.status, answer.text]).toEqual([204, '']);
    expectUnauthenticated(await api.call('GET', '/jobs', { key }));
    letTimePass(5_000);
    expectUnauthenticated(await other.call('GET', '/jobs', { key }));
    expectError(await remove(owner.token, id), 404, 'not_found');
  });

  it('has the same error for a key of another organization, an unknown id and a malformed id', async () => {
    const stranger = await register(api.call);
    const { id, key } = await newKey(stranger);
    for (const one of [id, '00000000-0000-0000-0000-000000000000', 'nope', '0', '%00', id.toUpperCase()]) {
      expectError(await remove(owner.token, one), 404, 'not_found');
    }
    expect((await api.call('GET', '/jobs', { key })).status).toBe(200);
    expect((await owner.get('/org/api-keys')).text).not.toContain(id);
  });
});

describe('X-API-Key', () => {
  it('submits and reads the jobs of its own organization only', async () => {
    const { key } = await newKey(owner);
    const id = (await api.call('POST', '/jobs', { key, body: { type: 'a', payload: {} } })).body.id;

    for (const path of ['', '/logs', '/result']) {
      expect((await api.call('GET', `/jobs/${id}${path}`, { key })).status).toBe(200);
      expect((await owner.get(`/jobs/${id}${path}`)).status).toBe(200);
    }
    const stranger = await newKey(await register(api.call));
    expectError(await api.call('GET', `/jobs/${id}`, { key: stranger.key }), 404, 'not_found');
  });

  it.each(['', 'x', 'jl_', `jl_${'0'.repeat(36)}`, "' OR 1=1; --", 'k'.repeat(6_000)])(
    '%.20j is rejected',
    async (key) => {
      expectUnauthenticated(await api.call('GET', '/jobs', { headers: { 'x-api-key': key } }));
    },
  );

  it('with a valid checksum is rejected if it was never issued', async () => {
    const { id, key } = await newKey(owner);
    await world.db.apiKey.delete({ where: { id } });
    expectUnauthenticated(await api.call('GET', '/jobs', { key }));
  });

  it('records when it was last used, without a write per request', async () => {
    const { id, key } = await newKey(owner);
    await Promise.all(Array.from({ length: 20 }, () => api.call('GET', '/jobs', { key })));
    const used = await until(
      'the use to be noted',
      async () => (await world.db.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt,
    );

    await api.call('GET', '/jobs', { key });
    await api.call('GET', '/jobs', { key });

    const [row] = (await owner.get('/org/api-keys?limit=1')).body;
    expect(row).toMatchObject({ id, last_used_at: used.toISOString() });
  });
});

describe('a token and a key together', () => {
  it('must both be valid and of one organization', async () => {
    const { key } = await newKey(owner);
    const stranger = await register(api.call);
    const strange = await newKey(stranger);

    for (const path of ['/jobs', '/auth/me']) {
      expect((await api.call('GET', path, { token: owner.token, key })).status).toBe(200);
      expectUnauthenticated(await api.call('GET', path, { token: owner.token, key: strange.key }));
      expectUnauthenticated(await api.call('GET', path, { token: owner.token, key: `${key.slice(0, -1)}!` }));
      expectUnauthenticated(await api.call('GET', path, { token: `${owner.token}x`, key }));
      expectUnauthenticated(await api.call('GET', path, { key, headers: { authorization: 'Basic YTpi' } }));
    }
  });
});
