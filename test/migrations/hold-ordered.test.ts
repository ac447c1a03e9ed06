import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { type HoldPosition, holdOrdered, insertJobs, type NewJob } from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { pagesOf, statementsOf } from './explain.js';

let database: TestDatabase;
const orgId = '00000000-0000-7000-8000-000000000001' as OrgId; // the cast: it is inserted below

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const job = (id: string, more: Partial<NewJob> = {}): NewJob => ({
  key: newId() as NewJob['key'], // the cast: it is the key of this job
  orgId,
  id,
  type: 'mail',
  queue: 'io',
  payload: '{}',
  contentHash: null,
  priority: 0,
  maxRetries: 0,
  runAt: null,
  traceparent: null,
  hasCapacity: false,
  ...more,
});

const page = (after: HoldPosition | null, limit: number) => holdOrdered(database.db, orgId, 'lane', { after, limit });
const heldIds = async () => {
  const rows = await database.db.liveJob.findMany({ where: { place: 'held' }, orderBy: { id: 'asc' } });
  return rows.map(({ id }) => id);
};

beforeAll(async () => {
  await database.db
    .$executeRaw`INSERT INTO organizations (id, name, created_at) VALUES (${orgId}::uuid, 'acme', now())`;
  await database.db.$executeRaw`
    INSERT INTO limits (org_id, name, types, concurrency, per, ordered, paused, created_at, updated_at)
    VALUES (${orgId}::uuid, 'lane', '{mail,rare}', 1, 'key', true, false, now(), now())`;
});

it('a new ordered limit holds the oldest pending jobs first, whatever their stages and priorities', async () => {
  const later = new Date(Date.now() + 3_600_000);
  const jobs = [
    job('1'),
    job('2', { runAt: later }),
    job('3', { priority: 9 }),
    job('4', { type: 'other' }),
    job('5', { type: 'rare' }),
    job('6', { type: 'other', limitName: 'lane' }),
    job('7'),
  ];
  await database.db.$executeRaw`UPDATE limits SET ordered = false`;
  for (const one of jobs) await insertJobs(database.hot, [one]);
  await database.db.$executeRaw`UPDATE live_jobs SET place = 'waiting' WHERE place = 'held'`;
  await database.db.$executeRaw`UPDATE live_jobs SET place = 'enqueued' WHERE id = '5'`;
  expect(await page(null, 9)).toBeNull();
  expect(await heldIds()).toEqual([]);
  await database.db.$executeRaw`UPDATE limits SET ordered = true`;

  const second = await page(null, 2);
  expect(second).toMatchObject({ id: '2' });
  expect(await heldIds()).toEqual(['1', '2']);
  const fifth = await page(second, 2);
  expect(await heldIds()).toEqual(['1', '2', '3', '5']);
  expect(await page(fifth, 9)).toBeNull();
  expect(await heldIds()).toEqual(['1', '2', '3', '5', '6', '7']);
});

it('a page reads as many jobs as it holds, however many jobs of other types or stages there are', async () => {
  await database.db.$executeRaw`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, place, run_at, created_at, updated_at)
    SELECT ('00000000-0001-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${orgId}::uuid, 'many ' || n,
      (ARRAY['other', 'mail'])[1 + n / 15001], 'io', '{}', 'pending', 'scheduled', now() + interval '1 h',
      now() - interval '1 h' + n * interval '1 ms', now()
    FROM generate_series(1, 30000) AS n`;
  const client = new pg.Client({ connectionString: database.url, options: '-c random_page_cost=1.1 -c jit=off' });
  await client.connect();
  const pagesRead = async () => {
    const send = (db: Db) => holdOrdered(db, orgId, 'lane', { after: null, limit: 1 });
    let sum = 0;
    for (const statement of await statementsOf(send)) sum += await pagesOf(client, statement);
    return sum;
  };
  try {
    expect(await pagesRead()).toBeLessThan(200);
    await client.query('ANALYZE live_jobs');
    expect(await pagesRead()).toBeLessThan(200);
  } finally {
    await client.end();
  }
});
