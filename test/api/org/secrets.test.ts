import { QUOTAS } from '@jobline/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError } from '../support.js';

const VALUE = 'Bearer a-secret-value';
const HOSTS = ['erp.example'];

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

const put = (name: string, body: object = { value: VALUE, hosts: HOSTS }) =>
  owner.put(`/org/secrets/${encodeURIComponent(name)}`, body);
const remove = (name: string) => api.call('DELETE', `/org/secrets/${name}`, { token: owner.token });

it('a secret is set, replaced, listed and deleted, and no response or audit entry has its value', async () => {
  const made = await put('erp', { value: VALUE, hosts: ['ERP.example', 'bücher.example', '[::1]', 'erp.example'] });
  const again = await put('erp', { value: `${VALUE}2`, hosts: HOSTS });
  const listed = await owner.get('/org/secrets');

  expect([made.status, made.body]).toEqual([
    200,
    {
      name: 'erp',
      hosts: ['erp.example', 'xn--bcher-kva.example', '[::1]'],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  expect(again.body).toMatchObject({ name: 'erp', hosts: HOSTS, created_at: made.body.created_at });
  expect(listed.body).toEqual([again.body]);
  expect((await remove('erp')).status).toBe(204);
  expectError(await remove('erp'), 404, 'not_found');
  const audit = await owner.get('/org/audit');
  const actions = audit.body.map(({ action }: { action: string }) => action).slice(0, 3);
  expect(actions).toEqual(['secret.deleted', 'secret.set', 'secret.set']);
  for (const { text } of [made, again, listed, audit]) expect(text).not.toContain('a-secret-value');
});

it.each([
  ['a name', 'no name', {}, ['name']],
  ['a short value', 'a', { value: '1234567' }, ['value']],
  ['a long value', 'a', { value: 'a'.repeat(4_097) }, ['value']],
  ['a value that no header carries', 'a', { value: 'a-secret-€-value' }, ['value']],
  ['a value with white space around it', 'a', { value: ' a-secret-value' }, ['value']],
  ['no host', 'a', { hosts: [] }, ['hosts']],
  ['21 hosts', 'a', { hosts: Array(21).fill('a.example') }, ['hosts']],
  ['a port', 'a', { hosts: ['a.example:443'] }, ['hosts[0]']],
  ['a URL', 'a', { hosts: ['https://a.example'] }, ['hosts[0]']],
])('%s is refused', async (_what, name, body, paths) => {
  expectError(await put(name, { value: VALUE, hosts: HOSTS, ...body }), 400, 'validation_failed', paths);
});

it('a job may name only secrets of its organization, and members may not set any', async () => {
  const job = (name: string) => ({
    type: 'webhook',
    payload: { url: 'https://erp.example/', payload: {}, headers: { authorization: { $secret: name } } },
  });
  await put('mine');
  const other = await register(api.call);
  await other.put('/org/secrets/theirs', { value: VALUE, hosts: HOSTS });

  expect((await owner.post('/jobs', job('mine'))).status).toBe(202);
  expectError(await owner.post('/jobs', job('theirs')), 400, 'validation_failed', ['payload.headers']);
  const batch = await owner.post('/jobs/batch', { jobs: [job('mine'), job('theirs')] });
  expectError(batch, 400, 'validation_failed', ['jobs[1].payload.headers']);
  const member = await addMember(world, api, owner.orgId, 'member');
  expectError(await member.get('/org/secrets'), 403, 'forbidden');
});

it('an organization has at most 100 secrets, and may replace them', async () => {
  const full = await register(api.call);
  await world.db.secret.createMany({
    data: Array.from({ length: QUOTAS.secrets }, (_, n) => ({
      orgId: full.orgId,
      name: `s${n}`,
      secret: VALUE,
      hosts: HOSTS,
    })),
  });

  const refused = await full.put('/org/secrets/another', { value: VALUE, hosts: HOSTS });
  expectError(refused, 409, 'conflict');
  expect(refused.body.error.message).toContain('100 secrets');
  expect((await full.put('/org/secrets/s7', { value: VALUE, hosts: HOSTS })).status).toBe(200);
});
