import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

const BODY = { type: 'no.handler', payload: {}, run_at: new Date(Date.now() + 3_600_000).toISOString() };
const ALL_CHARACTERS = 'a/b@c.d+e=f-g_h:1';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

const submit = (person: Person, more: object): Promise<string> =>
  submitJob(person, BODY.type, {}, { ...BODY, ...more });

async function idsOf(person: Person, query: string): Promise<string[]> {
  const answer = await person.get(`/jobs?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.map(({ id }: { id: string }) => id);
}

describe('tags', () => {
  it('a job shows its tags in lists and in its detail, and a job without tags shows none', async () => {
    const person = await register(api.call);
    const tags = ['prod', 'Prod', ALL_CHARACTERS];
    const tagged = await submit(person, { tags });
    const others = [await submit(person, {}), await submit(person, { tags: [] })];

    const list = (await person.get('/jobs')).body;
    expect(list.find(({ id }: { id: string }) => id === tagged).tags).toEqual(tags);
    expect((await person.get(`/jobs/${tagged}`)).body.tags).toEqual(tags);
    for (const id of others) {
      expect(list.find((job: { id: string }) => job.id === id)).not.toHaveProperty('tags');
      expect((await person.get(`/jobs/${id}`)).body).not.toHaveProperty('tags');
    }
  });

  it('a list by tags has the jobs with all of them, and combines with the other filters', async () => {
    const person = await register(api.call);
    const other = await register(api.call);
    const ab = await submit(person, { tags: ['a', 'b'] });
    const b = await submit(person, { tags: ['b'] });
    const abc = await submit(person, { tags: ['c', 'b', 'a'], key: 'acme' });
    await submit(person, {});
    await submit(other, { tags: ['a', 'b'] });

    expect(await idsOf(person, 'tag=b')).toEqual([abc, b, ab]);
    expect(await idsOf(person, 'tag=a&tag=b')).toEqual([abc, ab]);
    expect(await idsOf(person, 'tag=b&tag=unknown')).toEqual([]);
    expect(await idsOf(person, 'tag=B')).toEqual([]);
    expect(await idsOf(person, 'tag=b&key=acme')).toEqual([abc]);
    expect(await idsOf(person, `tag=b&status=pending&type=${BODY.type}`)).toEqual([abc, b, ab]);
    expect(await idsOf(person, 'tag=b&status=done')).toEqual([]);
    expect(await idsOf(person, 'tag=b&type=another')).toEqual([]);
    expect(await idsOf(person, `tag=b&created_before=${new Date(0).toISOString()}`)).toEqual([]);
  });

  it('the link to the next page keeps all tags', async () => {
    const person = await register(api.call);
    const [older] = [await submit(person, { tags: ['a', 'b'] }), await submit(person, { tags: ['a', 'b'] })];
    const first = await person.get('/jobs?tag=a&tag=b&limit=1');
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';

    expect(new URLSearchParams(next.split('?')[1]).getAll('tag')).toEqual(['a', 'b']);
    expect((await person.get(next)).body.map(({ id }: { id: string }) => id)).toEqual([older]);
  });

  it('a job keeps its tags and its key through its attempts, its end and a retry', async () => {
    const person = await register(api.call);
    await world.worker();
    const id = await submitJob(person, 'no.handler', {}, { tags: ['t'], key: 'acme' });
    const { job } = await finishedJob(person, id);
    expect(job).toMatchObject({ status: 'failed', tags: ['t'], key: 'acme' });
    expect(await idsOf(person, 'tag=t&key=acme&status=failed')).toEqual([id]);

    await world.db.job.updateMany({ where: { id }, data: { type: 'pdf' } });
    expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
    expect((await person.get('/jobs?tag=t')).body).toMatchObject([{ id, tags: ['t'] }]);
  });

  it('the events of a job have its tags', async () => {
    const person = await register(api.call);
    const id = await submit(person, { tags: ['t'] });
    const stream = await fetch(`${api.url}/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${person.token}` },
    });
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();

    expect(first).toContain('"tags":["t"]');
  });

  it('a list reads a limited number of jobs for a page, and continues after the last one that it has read', async () => {
    const person = await register(api.call);
    await world.db.$executeRaw`
      INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, tags)
      SELECT gen_random_uuid(), ${person.orgId}::uuid, 'job-' || n, CASE n WHEN 1 THEN 'rare' ELSE 'frequent' END, 'io', '{}',
        'done', now(), now() - (20000 - n) * interval '1 s', now(), '{all}' FROM generate_series(1, 1001) AS n`;

    const first = await person.get('/jobs?tag=all&type=rare');
    expect(first.body).toEqual([]);
    const cursor = first.headers.get('x-next-cursor') ?? '';
    const second = await person.get(`/jobs?tag=all&type=rare&cursor=${cursor}`);
    expect(second.body).toMatchObject([{ id: 'job-1' }]);
    expect(second.headers.get('x-next-cursor')).toBeNull();
  });

  it('the index of tags loses the tags of a job that is deleted', async () => {
    const person = await register(api.call);
    await submit(person, { tags: ['one', 'two'] });
    expect(await world.db.jobTag.count({ where: { orgId: person.orgId } })).toBe(2);

    await world.db.job.deleteMany({ where: { orgId: person.orgId } });
    expect(await world.db.jobTag.count({ where: { orgId: person.orgId } })).toBe(0);
  });
});

describe('key', () => {
  it.each(['acme', '+254 700 000 000', 'a/b?c=d&e=%20#f', 'Ünïcödé 客户', ' ', 'x'.repeat(200)])(
    'a job shows the key %j, and a list by exactly this key has it',
    async (key) => {
      const person = await register(api.call);
      const id = await submit(person, { key });
      await submit(person, { key: `${key.slice(1)}+` });
      await submit(person, {});

      expect((await person.get(`/jobs/${id}`)).body.key).toBe(key);
      expect(await idsOf(person, `key=${encodeURIComponent(key)}`)).toEqual([id]);
    },
  );

  it('a batch takes tags and keys for each job', async () => {
    const person = await register(api.call);
    const jobs = [{ ...BODY, key: 'a', tags: ['x'] }, { ...BODY, key: 'b', tags: ['x', 'y'] }, BODY];
    expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);

    for (const [query, count] of Object.entries({ 'key=a': 1, 'key=b': 1, 'tag=x': 2, 'tag=y': 1 })) {
      expect(await idsOf(person, query)).toHaveLength(count);
    }
  });
});

const START = Date.now();
const inHours = (hours: number) => new Date(START + hours * 3_600_000).toISOString();

describe('labels as content', () => {
  it.each([
    {
      field: 'tags',
      same: [
        ['a', 'b'],
        ['b', 'a'],
      ],
      other: [['a'], undefined],
    },
    { field: 'key', same: ['a', 'a'], other: ['b', undefined] },
    { field: 'limit', same: ['one', 'one'], other: ['two', undefined] },
    { field: 'expires_at', same: [inHours(2), inHours(2)], other: [inHours(3), undefined] },
  ])('$field: a repeated job is the same only with the same value', async ({ field, same, other }) => {
    const person = await register(api.call);
    const body = { ...BODY, id: `content-${field}` };
    const headers = { 'idempotency-key': `content-${field}` };
    for (const name of ['one', 'two']) await person.put(`/org/limits/${name}`, { concurrency: 1 });
    for (const value of same) {
      expect((await person.post('/jobs', { ...body, [field]: value })).status).toBe(202);
      expect((await person.post('/jobs', { ...BODY, [field]: value }, { headers })).status).toBe(202);
    }
    for (const value of other) {
      expectError(await person.post('/jobs', { ...body, [field]: value }), 409, 'conflict');
      const keyed = await person.post('/jobs', { ...BODY, [field]: value }, { headers });
      expectError(keyed, 422, 'idempotency_key_reused');
    }
    expect(await idsOf(person, '')).toHaveLength(2);
  });

  it('other tags in a batch with the same Idempotency-Key are another request', async () => {
    const person = await register(api.call);
    const headers = { 'idempotency-key': 'batch' };
    const batch = (tags: string[]) => person.post('/jobs/batch', { jobs: [{ ...BODY, tags }] }, { headers });
    for (const tags of [
      ['a', 'b'],
      ['b', 'a'],
    ])
      expect((await batch(tags)).status).toBe(202);
    expectError(await batch(['a']), 422, 'idempotency_key_reused');
  });

  it('the largest labels are accepted, and five tags find the job', async () => {
    const person = await register(api.call);
    const tags = Array.from({ length: 10 }, (_, n) => `${n}aZ._:@/+=-`.padEnd(64, 'x'));
    const answer = await person.post('/jobs', { ...BODY, tags, key: 'k'.repeat(200) });
    expect(answer.status, answer.text).toBe(202);
    const query = tags.slice(0, 5).map((tag) => `tag=${encodeURIComponent(tag)}`);
    expect((await person.get(`/jobs?${query.join('&')}`)).body).toMatchObject([{ id: answer.body.id, tags }]);
  });

  it('no tags are the same as an empty list of tags', async () => {
    const person = await register(api.call);
    for (const more of [{}, { tags: [] }]) {
      expect((await person.post('/jobs', { ...BODY, id: 'without', ...more })).status).toBe(202);
    }
  });
});

describe('bad input', () => {
  const tooMany = Array.from({ length: 11 }, (_, n) => `t${n}`);
  it.each([
    ...[
      'a',
      {},
      5,
      null,
      [5],
      [null],
      [''],
      ['a b'],
      ['ä'],
      ['a\0'],
      ['x'.repeat(65)],
      ['a', 'a'],
      [['a']],
      tooMany,
    ].map((tags) => ({ tags })),
    ...['', 5, true, null, ['a'], {}, 'x'.repeat(201), 'a\0', 'a\nb', '\u007f', '\ud800'].map((key) => ({ key })),
  ])('the field of %j is named, alone and in a batch', async (more) => {
    const person = await register(api.call);
    const [field = ''] = Object.keys(more);
    const alone = await person.post('/jobs', { ...BODY, ...more });
    expectError(alone, 400, 'validation_failed');
    expect(alone.body.error.details.every(({ path }: { path: string }) => path.startsWith(field))).toBe(true);
    const batch = await person.post('/jobs/batch', { jobs: [BODY, { ...BODY, ...more }] });
    expectError(batch, 400, 'validation_failed');
    expect(batch.body.error.details[0].path).toMatch(new RegExp(`^jobs\\[1\\]\\.${field}`));
    expect(await idsOf(person, '')).toEqual([]);
  });

  it('labels belong to the spelling with lower-case names only', async () => {
    const person = await register(api.call);
    const capitalized = { Type: 'x', Payload: {} };
    for (const more of [{ tags: ['a'] }, { key: 'a' }, { Tags: ['a'] }, { Key: 'a' }]) {
      expectError(await person.post('/jobs', { ...capitalized, ...more }), 400, 'validation_failed');
    }
  });

  it.each([
    ...['tag=', 'tag=a%20b', `tag=${'x'.repeat(65)}`, 'tag=a&tag=b&tag=c&tag=d&tag=e&tag=f', 'tags=a'],
    ...['key=', `key=${'x'.repeat(201)}`, 'key=%00', 'key=a%0Ab', 'key=a&key=b'],
  ])('GET /jobs?%s is rejected', async (query) => {
    expectError(await (await register(api.call)).get(`/jobs?${query}`), 400, 'validation_failed');
  });

  it('the name of the endpoint for bulk actions is reserved', async () => {
    expectError(await (await register(api.call)).post('/jobs', { ...BODY, id: 'bulk' }), 400, 'validation_failed', [
      'id',
    ]);
  });
});
