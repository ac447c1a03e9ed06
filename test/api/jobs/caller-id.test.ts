import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const submit = (body: unknown) => person.post('/jobs', body);
const read = (id: string) => person.get(`/jobs/${id}`);

describe('an id of the caller', () => {
  it('sent again with the same content, in either spelling, is the same job, and the response says so', async () => {
    const body = { id: 'order-1', type: 'a', payload: { a: 1, b: 2 }, max_retries: 1 };
    expect((await submit(body)).headers.get('idempotent-replayed')).toBeNull();

    for (const again of [
      { ...body, payload: { b: 2, a: 1 } },
      { ID: 'order-1', Type: 'a', Payload: { a: 1, b: 2 }, MaxRetries: 1 },
    ]) {
      const answer = await submit(again);
      expect([answer.status, answer.body]).toEqual([202, { id: 'order-1', status: 'pending' }]);
      expect(answer.headers.get('idempotent-replayed')).toBe('true');
    }
    await world.db.job.updateMany({ where: { id: 'order-1' }, data: { status: 'done' } });
    expect((await submit(body)).body).toEqual({ id: 'order-1', status: 'done' });
    expect(await world.db.job.count({ where: { id: 'order-1' } })).toBe(1);
  });

  it('sent again with other content is a conflict', async () => {
    const body = { id: 'order-2', type: 'a', payload: { a: 1 }, max_retries: 1, run_at: inMs(3_600_000) };
    expect((await submit(body)).status).toBe(202);
    const changes = [
      { type: 'b' },
      { payload: { a: 2 } },
      { max_retries: 2 },
      { run_at: undefined },
      { run_at: inMs(60_000) },
      { priority: 3 },
    ];
    for (const change of changes) expectError(await submit({ ...body, ...change }), 409, 'conflict');
  });

  it('sent 30 times at once creates one job, and one response is the first', async () => {
    const body = { id: 'order-3', type: 'a', payload: {} };

    const answers = await Promise.all(Array.from({ length: 30 }, () => submit(body)));

    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.id}`))).toEqual(new Set(['202 order-3']));
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await world.db.job.count({ where: { id: 'order-3' } })).toBe(1);
  });

  it('belongs to its organization: another may use it and learns nothing', async () => {
    const stranger = await register(api.call);
    expect((await submit({ id: 'shared', type: 'a', payload: { mine: true } })).status).toBe(202);

    const theirs = await stranger.post('/jobs', { id: 'shared', type: 'b', payload: { theirs: true } });

    expect([theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([202, null]);
    expect((await stranger.get('/jobs/shared')).body.payload).toEqual({ theirs: true });
    expect((await read('shared')).body.payload).toEqual({ mine: true });
  });
});
