import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

const first = {
  types: [],
  concurrency: null,
  per_second: null,
  burst: null,
  per: 'organization',
  ordered: false,
  paused: false,
  running: 0,
  waiting: 0,
};

const LARGEST = {
  types: Array.from({ length: 50 }, (_, n) => `t${n}`),
  concurrency: 10_000,
  per_second: 10_000,
  burst: 10_000,
};

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

describe('PUT /org/limits/{name}', () => {
  it.each([
    ['concurrency', { concurrency: 3 }, { concurrency: 3 }],
    ['a rate, whose burst is the rate rounded up', { per_second: 2.5 }, { per_second: 2.5, burst: 3 }],
    ['the largest values', LARGEST, LARGEST],
    ['a slow rate', { per_second: 0.01 }, { per_second: 0.01, burst: 1 }],
    ['a burst', { per_second: 1, burst: 10_000 }, { per_second: 1, burst: 10_000 }],
    ['a pause alone', { paused: true }, { paused: true }],
    [
      'a hold alone',
      { hold: { after: 100, probe_seconds: 3_600 } },
      { hold: { after: 100, probe_seconds: 3_600 }, held_since: null },
    ],
    [
      'the shortest hold',
      { concurrency: 1, hold: { after: 1, probe_seconds: 5 } },
      { concurrency: 1, hold: { after: 1, probe_seconds: 5 }, held_since: null },
    ],
    ['no hold', { concurrency: 1, hold: null }, { concurrency: 1 }],
    ['types', { types: ['a', 'B:1'], concurrency: 10_000 }, { types: ['a', 'B:1'], concurrency: 10_000 }],
    [
      'order',
      { per: 'key', ordered: true, concurrency: 1, per_second: null },
      { per: 'key', ordered: true, concurrency: 1 },
    ],
  ])('sets %s', async (_name, body, expected) => {
    const answer = await owner.put('/org/limits/one', body);

    expect([answer.status, answer.body]).toEqual([200, { ...first, name: 'one', ...expected }]);
    expect((await owner.get('/org/limits')).body).toEqual([answer.body]);
  });

  it('replaces a limit: what the body leaves out gets its first value', async () => {
    await owner.put('/org/limits/two', { types: ['a'], per_second: 1, burst: 2, per: 'key', paused: true });
    const answer = await owner.put('/org/limits/two', { concurrency: 1 });

    expect(answer.body).toEqual({ ...first, name: 'two', concurrency: 1 });
  });

  it.each([
    [{}, ['']],
    [{ paused: false }, ['']],
    [{ concurrency: null, per_second: null }, ['']],
    [{ hold: null }, ['']],
    [{ hold: true }, ['hold']],
    [{ hold: {} }, ['hold.after', 'hold.probe_seconds']],
    [{ hold: { after: 0, probe_seconds: 4 } }, ['hold.after', 'hold.probe_seconds']],
    [{ hold: { after: 101, probe_seconds: 3_601 } }, ['hold.after', 'hold.probe_seconds']],
    [{ hold: { after: 1.5, probe_seconds: '5' } }, ['hold.after', 'hold.probe_seconds']],
    [{ hold: { after: 1, probe_seconds: 5, until: 1 } }, ['hold.until']],
    [{ concurrency: 0 }, ['concurrency']],
    [{ concurrency: 10_001 }, ['concurrency']],
    [{ concurrency: 1.5 }, ['concurrency']],
    [{ concurrency: '1' }, ['concurrency']],
    [{ per_second: 0 }, ['per_second']],
    [{ per_second: 0.009 }, ['per_second']],
    [{ per_second: 10_000.5 }, ['per_second']],
    [{ per_second: '1' }, ['per_second']],
    [{ concurrency: 1, burst: 1 }, ['burst']],
    [{ per_second: 1, burst: 0 }, ['burst']],
    [{ per_second: 1, burst: 10_001 }, ['burst']],
    [{ per_second: 1, burst: null }, ['burst']],
    [{ concurrency: 1, per: 'type' }, ['per']],
    [{ concurrency: 1, ordered: true }, ['ordered']],
    [{ concurrency: 2, per: 'key', ordered: true }, ['ordered']],
    [{ per_second: 2, per: 'key', ordered: true }, ['ordered']],
    [{ concurrency: 1, ordered: 'yes' }, ['ordered']],
    [{ concurrency: 1, paused: 1 }, ['paused']],
    [{ concurrency: 1, types: 'a' }, ['types']],
    [{ concurrency: 1, types: ['a', 'a'] }, ['types[1]']],
    [{ concurrency: 1, types: ['a b'] }, ['types[0]']],
    [{ concurrency: 1, types: Array.from({ length: 51 }, (_, n) => `t${n}`) }, ['types']],
    ...['types', 'per', 'ordered', 'paused'].map((field): [object, string[]] => [
      { concurrency: 1, [field]: null },
      [field],
    ]),
    [{ concurrency: 1, per_second: null, burst: 2 }, ['burst']],
    [{ concurrency: 1, name: 'x' }, ['name']],
    [{ concurrency: 1, running: 0 }, ['running']],
  ])('rejects %j', async (body, paths) => {
    expectError(await owner.put('/org/limits/bad', body), 400, 'validation_failed', paths);
    expect((await owner.get('/org/limits')).body.map((limit: { name: string }) => limit.name)).not.toContain('bad');
  });

  it('accepts a name of 64 characters', async () => {
    const name = 'aZ09._:-'.repeat(8);
    expect((await owner.put(`/org/limits/${name}`, { concurrency: 1 })).body.name).toBe(name);
    await owner.delete(`/org/limits/${name}`);
  });

  it('answers 200 also if the limit is deleted at the same moment', async () => {
    for (let n = 0; n < 30; n++) {
      const [put, deleted] = await Promise.all([
        owner.put('/org/limits/race', { concurrency: 3 }),
        owner.delete('/org/limits/race'),
      ]);
      expect([put.status, put.body.concurrency]).toEqual([200, 3]);
      expect([204, 404]).toContain(deleted.status);
    }
    await owner.delete('/org/limits/race');
  });

  it.each(['a b', 'x'.repeat(65), 'ä', '%2E%2F', 'a%0Ab'])('rejects the name %j', async (name) => {
    expectError(await owner.put(`/org/limits/${name}`, { concurrency: 1 }), 400, 'validation_failed', ['name']);
    expectError(await owner.patch(`/org/limits/${name}`, { concurrency: 1 }), 404, 'not_found');
    expectError(await owner.delete(`/org/limits/${name}`), 404, 'not_found');
  });

  it('an organization may have 100 limits, and may still replace them', async () => {
    const person = await register(api.call);
    const made = await Promise.all(
      Array.from({ length: 101 }, (_, n) => person.put(`/org/limits/l${n}`, { concurrency: 1 })),
    );

    expect(made.filter(({ status }) => status === 200)).toHaveLength(100);
    const [full] = made.filter(({ status }) => status !== 200);
    if (full) expectError(full, 409, 'conflict');
    expect((await person.put('/org/limits/l1', { concurrency: 2 })).status).toBe(made[1]?.status === 200 ? 200 : 409);
    const names = (await person.get('/org/limits')).body.map((limit: { name: string }) => limit.name);
    expect(names).toEqual([...names].sort());
  });
});

describe('PATCH /org/limits/{name}', () => {
  it('changes the members that the body has, and takes the burst of a rate away with the rate', async () => {
    await owner.put('/org/limits/three', { types: ['a'], per_second: 5, burst: 7, concurrency: 2 });

    const changed = await owner.patch('/org/limits/three', { concurrency: 4, paused: true });
    expect(changed.body).toMatchObject({ types: ['a'], per_second: 5, burst: 7, concurrency: 4, paused: true });
    const without = await owner.patch('/org/limits/three', { per_second: null });
    expect(without.body).toMatchObject({ per_second: null, burst: null, concurrency: 4 });
  });

  it('a limit without other bounds may be resumed, and then bounds nothing', async () => {
    await owner.put('/org/limits/four', { paused: true });
    expect((await owner.patch('/org/limits/four', { paused: false })).body).toEqual({ ...first, name: 'four' });
  });

  it.each([
    [{}, ['']],
    [{ concurrency: null }, ['']],
    [{ burst: 2 }, ['burst']],
    [{ ordered: true }, ['ordered']],
    [{ per_second: 0 }, ['per_second']],
    [{ types: ['a b'] }, ['types[0]']],
    [{ more: 1 }, ['', 'more']],
  ])('rejects %j, and changes nothing', async (body, paths) => {
    const { body: before } = await owner.put('/org/limits/five', { concurrency: 1 });
    expectError(await owner.patch('/org/limits/five', body), 400, 'validation_failed', paths);
    expect((await owner.get('/org/limits')).body).toContainEqual(before);
  });

  it('names the member that breaks the order of a limit', async () => {
    await owner.put('/org/limits/six', { per: 'key', concurrency: 1, ordered: true });
    for (const [body, path] of [
      [{ concurrency: 2 }, 'concurrency'],
      [{ per: 'organization' }, 'per'],
    ] as const) {
      expectError(await owner.patch('/org/limits/six', body), 400, 'validation_failed', [path]);
    }
  });

  it('an unknown limit is not found', async () => {
    expectError(await owner.patch('/org/limits/nothing', { paused: true }), 404, 'not_found');
    expectError(await owner.delete('/org/limits/nothing'), 404, 'not_found');
    expectError(await owner.get('/org/limits/nothing/keys'), 404, 'not_found');
  });
});

describe('limits', () => {
  it('are separate for each organization', async () => {
    const other = await register(api.call);
    await owner.put('/org/limits/shared', { concurrency: 1 });
    expectError(await other.delete('/org/limits/shared'), 404, 'not_found');
    expectError(await other.get('/org/limits/shared/keys'), 404, 'not_found');
    expect((await other.put('/org/limits/shared', { concurrency: 9 })).status).toBe(200);
    expect((await owner.get('/org/limits')).body).toContainEqual({ ...first, name: 'shared', concurrency: 1 });
  });

  it('their changes are in the audit log', async () => {
    const person = await register(api.call);
    await person.put('/org/limits/noted', { concurrency: 1 });
    await person.patch('/org/limits/noted', { paused: true });
    await person.delete('/org/limits/noted');

    const entries: { action: string; target: { name: string } }[] = (await person.get('/org/audit')).body;
    const seen = entries.filter(({ target }) => target?.name === 'noted').map(({ action }) => action);
    expect(seen).toEqual(['limit.deleted', 'limit.set', 'limit.set']);
  });

  it('the keys that wait longest come first', async () => {
    const person = await register(api.call);
    await person.put('/org/limits/each', { types: ['walk'], per: 'key', paused: true });
    for (const key of ['b', 'a', undefined, 'b']) {
      expect((await person.post('/jobs', { type: 'walk', payload: {}, key })).status).toBe(202);
    }
    const { body } = await person.get('/org/limits/each/keys');

    expect(body.map(({ key }: { key: string }) => key)).toEqual(['b', 'a', null]);
    expect((await person.get('/org/limits')).body[0]).toMatchObject({ waiting: 4, running: 0 });
  });
});

describe('the field `limit` of a submission', () => {
  const job = (more: object) => ({
    type: 'walk',
    payload: {},
    run_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...more,
  });

  it('names a limit of the organization, and is shown in the detail', async () => {
    await owner.put('/org/limits/mine', { concurrency: 1 });
    const { body } = await owner.post('/jobs', job({ limit: 'mine' }));
    const detail = await owner.get(`/jobs/${body.id}`);

    expect(detail.body).toMatchObject({ limit: 'mine', waiting_for: 'run_at' });
    expect((await owner.get('/jobs')).body[0]).not.toHaveProperty('limit');
  });

  it.each(['', 5, 'x'.repeat(65), 'a b', ['mine'], null, 'unknown'])('rejects %j', async (limit) => {
    expectError(await owner.post('/jobs', job({ limit })), 400, 'validation_failed', ['limit']);
    const batch = await owner.post('/jobs/batch', { jobs: [job({}), job({ limit })] });
    expectError(batch, 400, 'validation_failed', ['jobs[1].limit']);
  });

  it("another organization's limit is as unknown as any, and the capitalized spelling has no such field", async () => {
    const other = await register(api.call);
    await owner.put('/org/limits/ours', { concurrency: 1 });
    expectError(await other.post('/jobs', job({ limit: 'ours' })), 400, 'validation_failed', ['limit']);
    const capitalized = { Type: 'walk', Payload: {}, limit: 'ours' };
    expectError(await owner.post('/jobs', capitalized), 400, 'validation_failed');
    expectError(await owner.post('/jobs', job({ Limit: 'ours' })), 400, 'validation_failed');
  });

  it('counts as content, and a replay is recognized after the limit was deleted', async () => {
    await owner.put('/org/limits/gone', { concurrency: 1 });
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { type: 'walk', payload: {}, run_at, limit: 'gone' };
    const headers = { 'Idempotency-Key': 'limit-test' };
    const [byId, byKey] = [
      await owner.post('/jobs', { ...body, id: 'limited' }),
      await owner.post('/jobs', body, { headers }),
    ];
    expect([byId.status, byKey.status]).toEqual([202, 202]);
    expectError(await owner.post('/jobs', { ...body, id: 'limited', limit: undefined }), 409, 'conflict');
    await owner.delete('/org/limits/gone');
    for (const again of [
      await owner.post('/jobs', { ...body, id: 'limited' }),
      await owner.post('/jobs', body, { headers }),
    ]) {
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    }
    expectError(await owner.post('/jobs', body), 400, 'validation_failed', ['limit']);
  });
});
