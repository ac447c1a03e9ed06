import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
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

interface Failure {
  type?: string;
  code?: string;
  message: string;
  hoursAgo?: number;
}

async function store(failures: readonly Failure[]): Promise<void> {
  for (const [n, { type = 'webhook', code = 'handler_error', message, hoursAgo = 0 }] of failures.entries()) {
    await world.db.$executeRaw`
      INSERT INTO finished_jobs (key, org_id, id, type, queue, status, run_at, error_code, error_message, created_at, finished_at)
      VALUES (gen_random_uuid(), ${person.orgId}::uuid, ${`job-${n}`}, ${type}, 'io', 'failed', now(), ${code}, ${message}, now(),
        now() - ${hoursAgo}::float8 * interval '1 hour' + ${n}::int * interval '1 ms')`;
  }
}

const groups = async (query = '') => {
  const answer = await person.get(`/stats/failures${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

describe('GET /stats/failures', () => {
  it('groups failures whose messages differ only in numbers, ids and addresses, the largest group first', async () => {
    await store([
      { message: 'no order 17 for ada@example.com' },
      { message: 'no order 1,234.5 for bob@example.org' },
      { message: 'no order 99 for eve@example.net' },
      { message: 'order ord_2f8c61b7a94e is gone', type: 'other' },
      { message: 'order ord_99aa01b7a9ff is gone', type: 'other' },
      { message: 'key 0198c5a0-1111-7000-8000-00000000000a is unknown', code: 'timeout' },
      { message: 'nothing to fold' },
    ]);

    const all = await groups();

    expect(
      all.map(({ type, error_code, message, count }: Record<string, unknown>) => [type, error_code, message, count]),
    ).toEqual([
      ['webhook', 'handler_error', 'no order <n> for <address>', 3],
      ['other', 'handler_error', 'order <id> is gone', 2],
      ['webhook', 'handler_error', 'nothing to fold', 1],
      ['webhook', 'timeout', 'key <id> is unknown', 1],
    ]);
    expect(all[0].example_ids).toEqual(['job-2', 'job-1', 'job-0']);
    expect(Date.parse(all[0].last_at) - Date.parse(all[0].first_at)).toBeGreaterThanOrEqual(2);
  });

  it('shows the three latest of a group as examples, whatever their messages', async () => {
    await store([
      { message: 'order 1', hoursAgo: 1 },
      { message: 'order 2', hoursAgo: 2 },
      { message: 'order 1', hoursAgo: 3 },
      { message: 'order 3', hoursAgo: 4 },
      { message: 'order 1', hoursAgo: 5 },
    ]);

    expect(await groups()).toEqual([expect.objectContaining({ count: 5, example_ids: ['job-0', 'job-1', 'job-2'] })]);
  });

  it('counts the jobs of a group in each twenty-fourth of the window, the oldest first', async () => {
    await store([
      { message: 'order 1', hoursAgo: 0.1 },
      { message: 'order 1', hoursAgo: 0.2 },
      { message: 'order 2', hoursAgo: 0.3 },
      { message: 'order 1', hoursAgo: 2.5 },
      { message: 'order 3', hoursAgo: 23.5 },
      { message: 'just now', hoursAgo: -0.1 },
    ]);
    const series = async (query: string) => (await groups(query)).map((group: { series: number[] }) => group.series);

    expect(await series('')).toEqual([
      [1, ...Array(20).fill(0), 1, 0, 3],
      [...Array(23).fill(0), 1],
    ]);
    const [week] = await series('?window=7d');
    expect(week).toEqual([...Array(20).fill(0), 1, 0, 0, 4]);
    expect(await series('?window=1h')).toEqual([
      [...Array(16).fill(0), 1, 0, 0, 1, 0, 1, 0, 0],
      [...Array(23).fill(0), 1],
    ]);
  });

  it('counts only jobs that finished in the window, a day unless the request says otherwise', async () => {
    await store([
      { message: 'now' },
      { message: 'hours ago', hoursAgo: 5 },
      { message: 'days ago', hoursAgo: 50 },
      { message: 'weeks ago', hoursAgo: 400 },
    ]);
    const messages = async (query: string) =>
      (await groups(query)).map(({ message }: Record<string, unknown>) => message);

    expect(await messages('?window=1h')).toEqual(['now']);
    expect(await messages('')).toEqual(['now', 'hours ago']);
    expect(await messages('?window=7d')).toEqual(['now', 'hours ago', 'days ago']);
    expectError(await person.get('/stats/failures?window=2h'), 400, 'validation_failed', ['window']);
  });

  it('keeps the HTTP status of an answer, and folds the other numbers of the message', async () => {
    await store([
      { message: 'shop.example answered 503 in 120 ms' },
      { message: 'shop.example answered 503 in 97 ms' },
      { message: 'shop.example answered 429: try again in 20 s' },
      { message: 'it answered 5031 questions' },
      { message: 'the receiver answered 500' },
      { message: 'one answered 200 in 5 ms, and the other answered 404 in 7 ms' },
    ]);

    expect((await groups()).map(({ message, count }: Record<string, unknown>) => `${count} ${message}`).sort()).toEqual(
      [
        '1 it answered <n> questions',
        '1 one answered 200 in <n> ms, and the other answered 404 in <n> ms',
        '1 shop.example answered 429: try again in <n> s',
        '1 the receiver answered 500',
        '2 shop.example answered 503 in <n> ms',
      ],
    );
  });

  it('can be those of a time instead of a window, or of one message', async () => {
    await store([
      { message: 'order 1', hoursAgo: 400 },
      { message: 'order 2', hoursAgo: 300 },
      { message: 'other', hoursAgo: 300 },
      { message: 'order 3', hoursAgo: 2 },
    ]);
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
    const shown = async (query: string) =>
      (await groups(query)).map(({ message, count }: Record<string, unknown>) => `${count} ${message}`);

    expect(await shown(`?ended_before=${at(10)}`)).toEqual(['2 order <n>', '1 other']);
    expect(await shown(`?ended_after=${at(350)}`)).toEqual(['2 order <n>', '1 other']);
    expect(await shown(`?ended_after=${at(350)}&ended_before=${at(10)}&message=order%20%3Cn%3E`)).toEqual([
      '1 order <n>',
    ]);
    expect(await shown(`?window=24h&ended_after=${at(350)}`)).toEqual(['1 order <n>']);
    expect(await shown('?window=1h&message=order')).toEqual([]);
    const [group] = await groups(`?ended_after=${at(412)}&ended_before=${at(290)}`);
    expect(group.series).toEqual([0, 0, 1, ...Array(19).fill(0), 1, 0]);
    expectError(await person.get('/stats/failures?ended_after=today'), 400, 'validation_failed', ['ended_after']);
  });

  it('folds the longest and most repetitive messages', async () => {
    await store(
      ['a-', '1a', '-1', 'a@', '.a@', '0.', 'ab-1 '].map((part) => ({ message: part.repeat(1_024 / part.length) })),
    );

    const counts = (await groups()).map(({ count }: { count: number }) => count);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(7);
  });
});
