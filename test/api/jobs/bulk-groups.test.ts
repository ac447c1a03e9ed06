import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

/** Stores a failed job. */
async function fail(id: string, message: string, hoursAgo: number, more: { tag?: string } = {}): Promise<void> {
  const tags = more.tag ? [more.tag] : null;
  await world.db.$executeRaw`
    WITH s AS (
      INSERT INTO submitted_jobs (key, org_id, id, type, payload, created_at, tags)
      VALUES (gen_random_uuid(), ${person.orgId}::uuid, ${id}, 'webhook', '{}', now() - interval '500 h', ${tags}::text[])
      RETURNING *)
    INSERT INTO finished_jobs (key, org_id, id, type, queue, status, run_at, error_code, error_message, created_at, finished_at, tags)
    SELECT key, org_id, id, type, 'io', 'failed', created_at, 'handler_error', ${message}, created_at,
      now() - ${hoursAgo}::float8 * interval '1 h', tags FROM s`;
}

const matches = async (filter: object) => {
  const answer = await person.post('/jobs/bulk', { action: 'delete', filter, dry_run: true });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.matches;
};
const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();

it('a bulk action changes exactly the jobs of a group of failures', async () => {
  await fail('old', 'shop answered 503 to order 1', 300);
  await fail('one', 'shop answered 503 to order 22', 3);
  await fail('two', 'shop answered 503 to order 333', 2);
  await fail('rejected', 'shop answered 400 to order 4', 2);
  await fail('code', 'Your login code is gone', 2);
  await fail('three', 'shop answered 503 to order 1', 2);
  const [group] = (await person.get('/stats/failures?window=24h')).body;

  const { body } = await person.post('/jobs/bulk', {
    action: 'delete',
    filter: { message: group.message, ended_after: group.first_at, ended_before: at(0) },
  });

  expect(group).toMatchObject({ message: 'shop answered 503 to order <n>', count: 3 });
  expect(body).toMatchObject({ total: 3, filter: { message: group.message, ended_after: group.first_at } });
  await until('the action to end', async () => (await person.get(`/jobs/bulk/${body.id}`)).body.status === 'done');
  const left = (await person.get('/jobs')).body.map(({ id }: { id: string }) => id).sort();
  expect(left).toEqual(['code', 'old', 'rejected']);
});

it('filters by message and by end match no job that has not ended, whatever else they select', async () => {
  await fail('one', 'order 1', 3, { tag: 'a' });
  await fail('two', 'order 2', 5);
  await person.post('/jobs', { id: 'waits', type: 'other', payload: {}, tags: ['a'], run_at: at(-1) });

  expect(await matches({ message: 'order <n>' })).toBe(2);
  expect(await matches({ message: 'order' })).toBe(0);
  expect(await matches({ message: '%' })).toBe(0);
  expect(await matches({ message: 'order <n>', tag: 'a' })).toBe(1);
  expect(await matches({ message: 'order <n>', status: 'done' })).toBe(0);
  expect(await matches({ message: 'order <n>', status: 'pending', tag: 'a' })).toBe(0);
  expect(await matches({ ended_after: at(100) })).toBe(2);
  expect(await matches({ ended_after: at(4), tag: 'a' })).toBe(1);
  expect(await matches({ ended_before: at(4) })).toBe(1);
  expect(await matches({ ended_before: at(4), ids: ['one', 'waits'] })).toBe(0);
});

it.each([
  [{ message: 7 }, 'filter.message'],
  [{ message: 'a'.repeat(1_001) }, 'filter.message'],
  [{ ended_after: 'today' }, 'filter.ended_after'],
  [{ ended_before: 1 }, 'filter.ended_before'],
])('a filter with %j is rejected', async (filter, path) => {
  expectError(await person.post('/jobs/bulk', { action: 'retry', filter }), 400, 'validation_failed', [path]);
});
