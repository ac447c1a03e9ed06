import { JOB_ERROR_CODES } from '@jobline/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

interface Stored {
  status?: 'pending' | 'done' | 'failed';
  errorCode?: string;
  type?: string;
  tags?: string[];
  limitKey?: string;
}

/** Stores jobs of a person's organization under the ids `job-1` (the oldest), `job-2` and so on. */
async function store(person: Person, jobs: readonly Stored[]): Promise<void> {
  for (const [n, { status = 'failed', errorCode = null, type = 'a', tags = null, limitKey = null }] of jobs.entries()) {
    await world.db.$executeRaw`
      INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, error_code, tags, limit_key)
      VALUES (gen_random_uuid(), ${person.orgId}::uuid, ${`job-${n + 1}`}, ${type}, 'io', '{}', ${status}::job_status, now(),
        now() + ${n} * interval '1 s', now(), ${errorCode}, ${tags}::text[], ${limitKey})`;
  }
}

async function idsOf(person: Person, query: string): Promise<string[]> {
  const answer = await person.get(`/jobs?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.map(({ id }: { id: string }) => id);
}

it('a list by error code has the failed jobs with this code, newest first, and combines with the other filters', async () => {
  const person = await register(api.call);
  await store(person, [
    { errorCode: 'timeout' },
    { errorCode: 'canceled' },
    { errorCode: 'timeout', type: 'b', tags: ['t'], limitKey: 'acme' },
    { status: 'done' },
    // It waits for a retry: it has not failed yet.
    { errorCode: 'timeout', status: 'pending' },
    { errorCode: 'timeout', tags: ['t', 'u'] },
  ]);
  await store(await register(api.call), [{ errorCode: 'timeout', tags: ['t'], limitKey: 'acme' }]);

  const expected = {
    '': ['job-6', 'job-3', 'job-1'],
    '&status=failed': ['job-6', 'job-3', 'job-1'],
    '&status=pending': [],
    '&status=completed': [],
    '&type=a': ['job-6', 'job-1'],
    '&type=b&status=failed': ['job-3'],
    '&type=c': [],
    '&tag=t': ['job-6', 'job-3'],
    '&tag=t&tag=u': ['job-6'],
    '&tag=t&type=b': ['job-3'],
    '&key=acme': ['job-3'],
    '&key=acme&tag=u': [],
    '&tag=t&status=pending': [],
    [`&created_before=${new Date(0).toISOString()}`]: [],
  };
  for (const [more, ids] of Object.entries(expected)) {
    expect(await idsOf(person, `error_code=timeout${more}`), more).toEqual(ids);
  }
  expect(await idsOf(person, 'error_code=canceled')).toEqual(['job-2']);
  expect(await idsOf(person, 'error_code=expired')).toEqual([]);
});

it.each(['', '&type=a', '&tag=t'])(
  'the pages of a list by error code%s follow each other without a gap',
  async (more) => {
    const person = await register(api.call);
    await store(
      person,
      Array.from({ length: 9 }, (_, n) => ({ errorCode: n % 2 === 0 ? 'timeout' : 'canceled', tags: ['t'] })),
    );
    const seen: string[] = [];
    for (let path = `/jobs?error_code=timeout&limit=2${more}`; path; ) {
      const page = await person.get(path);
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    }

    expect(seen).toEqual(['job-9', 'job-7', 'job-5', 'job-3', 'job-1']);
  },
);

it('a list by error code and type reads a limited number of jobs for a page, and continues after the last one', async () => {
  const person = await register(api.call);
  // The type and the code are equally frequent, and only the oldest job has both.
  await world.db.$executeRaw`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, error_code)
    SELECT gen_random_uuid(), ${person.orgId}::uuid, 'job-' || n, CASE WHEN n = 1 OR n % 2 = 0 THEN 'a' ELSE 'b' END, 'io', '{}',
      'failed', now(), now() - (3000 - n) * interval '1 s', now(), CASE n % 2 WHEN 1 THEN 'timeout' ELSE 'canceled' END
    FROM generate_series(1, 2002) AS n`;

  const first = await person.get('/jobs?error_code=timeout&type=a');
  expect(first.body).toEqual([]);
  const second = await person.get(`/jobs?error_code=timeout&type=a&cursor=${first.headers.get('x-next-cursor') ?? ''}`);
  expect(second.body).toMatchObject([{ id: 'job-1' }]);
  expect(second.headers.get('x-next-cursor')).toBeNull();
});

it('every job error code is a filter', async () => {
  const person = await register(api.call);
  for (const code of Object.keys(JOB_ERROR_CODES)) expect(await idsOf(person, `error_code=${code}`)).toEqual([]);
});

it.each([
  'error_code=',
  'error_code=nonsense',
  'error_code=Timeout',
  'error_code=timeout%20',
  'error_code=timeout&error_code=canceled',
  'error_code=conflict',
])('GET /jobs?%s is rejected by name', async (query) => {
  const answer = await (await register(api.call)).get(`/jobs?${query}`);
  expectError(answer, 400, 'validation_failed', ['error_code']);
});
