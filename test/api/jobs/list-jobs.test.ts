import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError } from '../support.js';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

const idsOf = async (person: Person, query = ''): Promise<string[]> => {
  const answer = await person.get(`/jobs${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.map(({ id }: { id: string }) => id);
};

/** Jobs created one second apart, the newest first. */
async function seed(person: Person, count: number, data: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.unshift(await submitJob(person, `kind.${n % 2}`, { n }));
  for (const [age, id] of ids.entries()) {
    const createdAt = new Date(Date.parse('2026-06-01T00:00:00Z') - age * 1_000);
    await world.db.job.updateMany({ where: { orgId: person.orgId, id }, data: { createdAt, ...data } });
  }
  return ids;
}

describe('GET /jobs', () => {
  it('is a bare array of exactly the summary, newest first', async () => {
    const person = await register(api.call);
    expect((await person.get('/jobs')).body).toEqual([]);
    const id = await submitJob(person, 'a', { secret: 1 }, { max_retries: 3 });
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

    expect((await person.get('/jobs')).body).toEqual([
      { id, type: 'a', status: 'pending', retries: 0, max_retries: 3, created_at: isoTime, updated_at: isoTime },
    ]);
  });

  it('has all jobs of the organization, and none of others', async () => {
    const owner = await register(api.call);
    const member = await addMember(world, api, owner.orgId, 'member');
    const stranger = await register(api.call);
    const mine = await submitJob(owner, 'a', {});
    const theirs = await submitJob(member, 'a', {});

    for (const who of [owner, member]) expect((await idsOf(who)).sort()).toEqual([mine, theirs].sort());
    expect(await idsOf(stranger)).toEqual([]);
  });

  it('filters by status; completed means done, and is shown as done', async () => {
    const person = await register(api.call);
    const statuses = ['pending', 'processing', 'done', 'failed'] as const;
    const ids: Record<string, string> = {};
    for (const status of statuses) {
      const id = await submitJob(person, 'a', {});
      await world.db.job.updateMany({ where: { id }, data: { status } });
      ids[status] = id;
    }
    for (const status of statuses) expect(await idsOf(person, `?status=${status}`)).toEqual([ids[status]]);
    const completed = await person.get('/jobs?status=completed');
    expect(completed.body).toMatchObject([{ id: ids.done, status: 'done' }]);
  });

  it('filters by type and by creation, from the first moment inclusive to the last exclusive', async () => {
    const person = await register(api.call);
    const [newest = '', middle = '', oldest = ''] = await seed(person, 3);

    expect(await idsOf(person, '?type=kind.1')).toEqual([middle]);
    expect(await idsOf(person, '?created_after=2026-05-31T23:59:59Z')).toEqual([newest, middle]);
    expect(await idsOf(person, '?created_before=2026-05-31T23:59:59Z')).toEqual([oldest]);
    expect(
      await idsOf(person, '?created_after=2026-06-01T01:59:59%2B02:00&created_before=2026-06-01T00:00:00Z'),
    ).toEqual([middle]);
    expect(await idsOf(person, '?type=kind.0&status=done')).toEqual([]);
    expect(
      await idsOf(person, '?created_before=9999-12-31T23:59:59.999Z&created_after=1970-01-01T00:00:00Z'),
    ).toHaveLength(3);
  });

  it('pages without gaps or duplicates while new jobs arrive, and keeps the filters', async () => {
    const person = await register(api.call);
    const wanted = await seed(person, 25);
    const seen: string[] = [];
    let pages = 0;
    for (
      let path: string | undefined = '/jobs?limit=10&status=pending&created_before=2026-07-01T00:00:00%2B00:00';
      path;
      pages++
    ) {
      const page = await person.get(path);
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      expect(path === undefined).toBe(page.headers.get('x-next-cursor') === null);
      if (path) {
        const { pathname, searchParams } = new URL(path, api.url);
        expect(pathname).toBe('/jobs');
        expect(Object.fromEntries(searchParams)).toEqual({
          limit: '10',
          status: 'pending',
          created_before: '2026-07-01T00:00:00+00:00',
          cursor: page.headers.get('x-next-cursor'),
        });
      }
      await submitJob(person, 'late', {});
    }
    expect(pages).toBe(3);
    expect(seen).toEqual(wanted);
  });

  it('orders jobs of the same moment by id, also across pages', async () => {
    const person = await register(api.call);
    await seed(person, 7, { createdAt: new Date('2026-06-01T00:00:00Z') });
    const all = await idsOf(person);
    expect(all).toEqual([...all].sort().reverse());

    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await person.get(`/jobs?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      cursor = page.headers.get('x-next-cursor');
    }
    expect(seen).toEqual(all);
  });

  it('has 100 jobs on a page by default, and no link on the last page', async () => {
    const person = await register(api.call);
    await Promise.all(Array.from({ length: 101 }, () => submitJob(person, 'a', {})));

    expect(await idsOf(person)).toHaveLength(100);
    expect(await idsOf(person, '?limit=1')).toHaveLength(1);
    const whole = await person.get('/jobs?limit=101');
    expect([whole.body.length, whole.headers.get('link')]).toEqual([101, null]);
  });
});

describe('an invalid query is rejected, and every issue is listed', () => {
  let person: Person;
  beforeAll(async () => {
    person = await register(api.call);
  });
  const base64 = (text: string) => Buffer.from(text).toString('base64url');

  it.each([
    ...['DONE', 'finished', '', 'pending,done', "' OR 1=1"].map((value) => ['status', value]),
    ...['0', '-1', '1001', 'abc', '1.5', '', 'NaN', 'Infinity', '99999999999999999999', '0x10'].map((value) => [
      'limit',
      value,
    ]),
    ...['a b', '', '\u0000', 'x'.repeat(129)].map((value) => ['type', value]),
    ...['yesterday', '', '12:00', '2026-01-01', '2026-99-99T00:00:00Z', '\u0000', '1700000000'].map((value) => [
      'created_after',
      value,
    ]),
    ...['2026-02-30T00:00:00Z', '2026-01-01T00:00:00 02:00'].map((value) => ['created_before', value]),
    ...[
      '',
      'garbage',
      'e30',
      'bnVsbA',
      '\u0000',
      'A'.repeat(4_000),
      "' OR 1=1",
      `${base64('1.a')}=`,
      ` ${base64('1.a')}`,
    ].map((value) => ['cursor', value]),
    ...[
      '1.',
      '.a',
      '-1.a',
      '1.5.a b',
      '1.a\u0000',
      '1.a/b',
      '999999999999999.a',
      'x.a',
      `1.${'a'.repeat(129)}`,
      '\ud800',
    ].map((text) => ['cursor', base64(text)]),
  ])('%s=%.40j', async (name = '', value = '') => {
    expectError(await person.get(`/jobs?${new URLSearchParams({ [name]: value })}`), 400, 'validation_failed', [name]);
  });

  it('also for several invalid parameters at once', async () => {
    const answer = await person.get('/jobs?status=x&limit=0&cursor=x&created_after=x&nope=1&status%5B%5D=done&limit=1');
    expectError(answer, 400, 'validation_failed', ['status', 'cursor', 'created_after', 'nope', 'status[]', 'limit']);
  });
});
