import type { Role } from '@jobline/contracts';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, newKey } from '../support.js';

/** What searches find for whom, and what they no longer find. */

const sends = defineHandler({ type: 'send_sms', run: async () => ({}) });

let world: World;
let api: TestApi;
let owner: Person;
let everything: string[];

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.worker({ catalogue: createCatalogue([sends]) });
  owner = await register(api.call);
  const { id: job } = (
    await owner.post('/jobs', { type: 'send_sms', payload: { to: '+254700008001', message: 'a' }, tags: ['quagga'] })
  ).body;
  const sent = (await owner.post('/email/send', { to: 'quagga@example.com', subject: 'Hello', body: 'text' })).body;
  const every = { every_seconds: 3_600, payload: {} };
  const { id: schedule } = (await owner.post('/schedules', { ...every, name: 'Quagga report', type: 'other' })).body;
  const template = { kind: 'email', name: 'quagga_mail', subject: 'a', body: 'b' };
  const { id: templateId } = (await owner.post('/org/templates', template)).body;
  const hook = { url: 'https://quagga.example.com/a', events: ['job.failed'] };
  const { id: webhook } = (await owner.post('/org/webhooks', hook)).body;
  await owner.put('/org/limits/quagga-limit', { concurrency: 1 });
  const { id: domain } = (await owner.post('/org/domains', { domain: 'quagga.example' })).body;
  const { id: key } = await newKey(owner, 'Quagga key');
  await world.db.user.updateMany({ where: { email: owner.email }, data: { email: 'quagga.owner@example.com' } });
  const [{ id: member }] = (await owner.get('/org/members')).body;
  everything = [
    `job ${job} /job/${job}`,
    `message ${sent.id} /email?id=${sent.id}`,
    `template ${templateId} /templates?id=${templateId}`,
    `schedule ${schedule} /schedules?id=${schedule}`,
    `webhook ${webhook} /webhooks?id=${webhook}`,
    'limit quagga-limit /limits?name=quagga-limit',
    `domain ${domain} /domains?id=${domain}`,
    `member ${member} /team`,
    `key ${key} /keys?id=${key}`,
  ];
  await until('everything to be found', async () => (await find(owner)).length === everything.length);
});
afterAll(() => world.end());

async function find(by: Pick<Person, 'get'>, q = 'QUAGGA'): Promise<string[]> {
  const { status, body } = await by.get(`/search?q=${encodeURIComponent(q)}`);
  if (status !== 200) throw new Error(`GET /search: ${status}`);
  return body.map(({ kind, id, url }: Record<string, string>) => `${kind} ${id} ${url}`);
}

const ofKinds = (...kinds: string[]) => everything.filter((one) => kinds.includes(one.split(' ')[0] ?? '')).sort();

async function withKey(access: object): Promise<Pick<Person, 'get'>> {
  const { key } = await newKey(owner, 'a key', access);
  return { get: (path) => api.call('GET', path, { key }) };
}

it.each<[Role, boolean]>([
  ['owner', true],
  ['admin', true],
  ['member', false],
])('the role %s finds members, keys and webhooks: %s', async (role, findsAll) => {
  // The cast: the API returned it as an organization's id.
  const person = await addMember(world, api, owner.orgId as never, role);

  const kinds = ['job', 'message', 'template', 'schedule', 'limit', 'domain'];
  expect((await find(person)).sort()).toEqual(findsAll ? everything.toSorted() : ofKinds(...kinds));
});

it.each([
  [['jobs:read'], ['job']],
  [['messages:read'], ['message']],
  [['schedules:read', 'jobs:write'], ['schedule']],
  [
    ['jobs:read', 'messages:read', 'schedules:read'],
    ['job', 'message', 'schedule'],
  ],
])('a key with the scopes %j finds %j', async (scopes, kinds) => {
  expect((await find(await withKey({ scopes }))).sort()).toEqual(ofKinds(...kinds));
});

it.each([
  [['send_sms'], ['job']],
  [
    ['send_email', 'other'],
    ['message', 'schedule'],
  ],
  [['nothing'], []],
])('a key for the types %j finds %j', async (types, kinds) => {
  const scopes = ['jobs:read', 'messages:read', 'schedules:read'];

  expect((await find(await withKey({ scopes, types }))).sort()).toEqual(ofKinds(...kinds));
});

it('a key without a scope for reading gets a 403', async () => {
  const key = await withKey({ scopes: ['jobs:write', 'stats:read', 'messages:send', 'schedules:write'] });

  expectError(await key.get('/search?q=quagga'), 403, 'forbidden');
});

it('another organization finds nothing of it', async () => {
  const stranger = await register(api.call);

  expect(await find(stranger)).toEqual([]);
  for (const one of everything) expect(await find(stranger, one.split(' ')[1])).toEqual([]);
});

it('what is redacted is not found, immediately, and what is deleted neither', async () => {
  const person = await register(api.call);
  const payload = { to: '+254700008002', message: 'a' };
  const { id } = (await person.post('/jobs', { type: 'send_sms', payload, key: 'okapi-8002' })).body;
  await finishedJob(person, id);
  await until('the number to be found', async () => (await find(person, '254700008002')).length === 1);
  await person.patch('/org/settings', { redact: { payload_keys: ['to'], after_days: 0 } });

  expect(await find(person, '254700008002')).toEqual([]);
  expect(await find(person, '[redacted]')).toEqual([]);
  expect(await find(person, 'okapi')).toEqual([`job ${id} /job/${id}`]);

  await person.delete(`/jobs/${id}`);
  expect(await find(person, 'okapi-8002')).toEqual([]);
});
