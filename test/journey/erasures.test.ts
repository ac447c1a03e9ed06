import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { finishedJob, type Person, submitJob, until } from '../harness/index.js';
import { ADDRESS, columnsWith, createErasingWorld, type ErasingWorld, erased, LATER } from './erasing-world.js';

let world: ErasingWorld;
let person: Person;

beforeAll(async () => {
  world = await createErasingWorld();
});
beforeEach(async () => {
  person = await world.person();
});
afterAll(() => world.end());

const statusOf = async (path: string) => (await person.get(path)).status;

describe('an erasure of a key', () => {
  it('deletes the jobs with the key, their logs and artifacts, and aborts what runs', async () => {
    const key = 'customer-77';
    const done = await submitJob(person, 'echo', { value: 'secret-of-77' }, { key });
    await finishedJob(person, done);
    const running = await submitJob(person, 'endless', {}, { key });
    await until('the job to run', () => world.endless());
    const pending = await submitJob(person, 'echo', { value: 'x' }, { key, ...LATER });
    const other = await submitJob(person, 'echo', { value: 'x' }, { key: 'customer-7', ...LATER });
    expect(await erased(person, { key })).toMatchObject({ jobs: 3 });

    for (const id of [done, running, pending]) expect(await statusOf(`/jobs/${id}`)).toBe(404);
    expect(await statusOf(`/jobs/${other}`)).toBe(200);
    await until('the rest to be deleted', async () => (await columnsWith(world, 'secret-of-77')).length === 0);
    expect(await columnsWith(world, key)).toEqual([]);
    expect(world.endless()?.aborted).toBe(true);
  });

  it('fails the jobs of others that wait for an erased job or refer to it', async () => {
    const first = await submitJob(person, 'echo', { value: 'x' }, { key: 'k', ...LATER });
    const done = await submitJob(person, 'echo', { value: 'x' }, { key: 'k' });
    await finishedJob(person, done);
    const waiting = [
      await submitJob(person, 'echo', { value: 'y' }, { after: [{ id: first, when: 'ended' }] }),
      await submitJob(person, 'echo', { value: { $from: done, path: '/value' } }, { after: [done], ...LATER }),
    ];
    const chained = await submitJob(person, 'echo', { value: 'z' }, { after: [String(waiting[0])] });
    await erased(person, { key: 'k' });

    for (const id of waiting) {
      const { result } = await finishedJob(person, id);
      expect(result.error).toMatchObject({
        code: 'dependency_failed',
        message: expect.stringContaining('its data was erased'),
      });
      expect((await person.post(`/jobs/${id}/retry`)).status).toBe(409);
    }
    expect((await finishedJob(person, chained)).result.error.code).toBe('dependency_failed');
  });

  it('a finished bulk action keeps the key and ids of its filter only as hashes', async () => {
    const ids = [await submitJob(person, 'echo', { value: 'x' }, { key: 'bulk-key', ...LATER })];
    const { body } = await person.post('/jobs/bulk', { action: 'cancel', filter: { key: 'bulk-key', ids } });
    expect(body.filter).toEqual({ key: 'bulk-key', ids });
    const { filter } = await until('the action to end', async () => {
      const { body: bulk } = await person.get(`/jobs/bulk/${body.id}`);
      return bulk.status === 'done' && bulk;
    });

    expect(filter).toEqual({
      key: expect.stringMatching(/^hash:[0-9a-f]{64}$/),
      ids: [expect.stringMatching(/^hash:/)],
    });
  });
});

describe('POST /org/erasures', () => {
  it('answers a repeated key with the same erasure, and lists erasures without what they erase', async () => {
    const headers = { 'Idempotency-Key': 'erase-1' };
    const { body: first } = await person.post('/org/erasures', { address: ADDRESS, key: 'k1' }, { headers });
    const again = await person.post('/org/erasures', { address: ADDRESS, key: 'k1' }, { headers });
    expect(again).toMatchObject({ status: 202, body: { id: first.id } });
    expect((await person.post('/org/erasures', { key: 'k2' }, { headers })).status).toBe(422);

    const list = await person.get('/org/erasures');
    expect(list.body).toMatchObject([{ id: first.id }]);
    expect(list.text).not.toMatch(/k1|erased@/);
  });

  it.each([
    {},
    { address: '' },
    { key: '' },
    { address: 'a\u0000' },
    { address: 'a', other: 1 },
    { address: 'a', suppressions: 1 },
  ])('refuses %j with a 400', async (body) => {
    expect((await person.post('/org/erasures', body)).status).toBe(400);
  });
});
