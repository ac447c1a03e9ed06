import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

const remove = (person: Person, id: string) => api.call('DELETE', `/org/sender-ids/${id}`, { token: person.token });

describe('POST /org/sender-ids', () => {
  it.each(['ACME', 'Acme Ltd', 'A1', '22123', '+254711000111', 'a-b_c.d&e', 'ELEVENCHARS'])(
    'registers %j',
    async (id) => {
      const answer = await owner.post('/org/sender-ids', { sender_id: ` ${id} ` });

      expect(answer.status, answer.text).toBe(201);
      expect(answer.body).toEqual({
        id: expect.any(String),
        sender_id: id,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expectError(await owner.post('/org/sender-ids', { sender_id: id }), 409, 'conflict', ['sender_id']);
    },
  );

  it.each([
    '',
    'TWELVECHARS1',
    '12',
    '1 2 3',
    '+',
    'Ünal',
    'A\nB',
    'A\u0000',
    '<b>',
    'A,B',
    '-ACME',
    '+2547110001112223',
  ])('rejects %j', async (senderId) => {
    const answer = await owner.post('/org/sender-ids', { sender_id: senderId, more: 1 });
    expectError(answer, 400, 'validation_failed', ['sender_id', 'more']);
  });
});

describe('/org/sender-ids', () => {
  it('lists newest first, without removed ones and those of others', async () => {
    const person = await register(api.call);
    const made: string[] = [];
    for (const id of ['ONE', 'TWO', 'THREE']) {
      made.unshift((await person.post('/org/sender-ids', { sender_id: id })).body.id);
    }
    const ids = async (path: string) => (await person.get(path)).body.map(({ id }: { id: string }) => id);

    expect(await ids('/org/sender-ids')).toEqual(made);
    expect(await ids('/org/sender-ids?limit=2')).toEqual(made.slice(0, 2));
    for (const one of [made[0] ?? '', 'nope']) expectError(await remove(owner, one), 404, 'not_found');
    expect((await remove(person, made[0] ?? '')).status).toBe(204);
    expectError(await remove(person, made[0] ?? ''), 404, 'not_found');
    expect(await ids('/org/sender-ids')).toEqual(made.slice(1));
    expectError(await owner.post('/org/sender-ids', { sender_id: 'two' }), 409, 'conflict', ['sender_id']);
    expect((await owner.post('/org/sender-ids', { sender_id: 'THREE' })).status).toBe(201); // the name is free again
  });
});
