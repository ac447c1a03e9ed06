import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { allowedTypes: new Set(['webhook', 'own.type']) } });
  person = await register(api.call);
});
afterAll(() => world.end());

const webhook = { url: 'https://a.example/hook', payload: {} };

it('a type that the operator has not allowed is rejected, named in the spelling of its caller', async () => {
  const payload = { channel: 'general', text: 'Hello' };
  const first = await person.post('/jobs', { type: 'team_chat_notify', payload });
  expectError(first, 400, 'validation_failed', ['type']);
  expect(first.body.error.details[0].message).toBe('"type" is not a job type that this installation accepts');
  expectError(await person.post('/jobs', { Type: 'unheard.of', Payload: {} }), 400, 'validation_failed', ['Type']);

  for (const [type, fit] of [
    ['webhook', webhook],
    ['own.type', {}],
  ] as const) {
    expect((await person.post('/jobs', { type, payload: fit })).status).toBe(202);
  }
});

it('a batch with such a type is rejected as a whole', async () => {
  const jobs = [
    { type: 'webhook', payload: webhook },
    { type: 'other', payload: {} },
    { Type: 'another', Payload: {} },
  ];
  const before = await world.db.job.count();

  expectError(await person.post('/jobs/batch', { jobs }), 400, 'validation_failed', ['jobs[1].type', 'jobs[2].Type']);

  expect(await world.db.job.count()).toBe(before);
});

it('an invalid type has one validation issue, not two', async () => {
  const answer = await person.post('/jobs', { type: 'no type', payload: {} });
  expect(answer.body.error.details).toHaveLength(1);
});
