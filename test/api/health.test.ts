import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, register, type World } from '../harness/index.js';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it('GET /healthz and GET /readyz need no credential and ignore an invalid one', async () => {
  const api = await world.api();
  for (const path of ['/healthz', '/readyz']) {
    expect((await api.call('GET', path)).status).toBe(200);
    expect((await api.call('GET', path, { token: 'x', key: 'y' })).status).toBe(200);
  }
});

it('the service is ready and accepts jobs without Redis', async () => {
  const api = await world.api({ redisUrl: 'redis://127.0.0.1:1' });
  const person = await register(api.call);

  const answer = await person.post('/jobs', { type: 'a', payload: {} });

  expect([answer.status, answer.body.status]).toEqual([202, 'pending']);
  expect((await api.call('GET', '/readyz')).status).toBe(200);
  expect((await person.get('/jobs')).body).toHaveLength(1);
});
