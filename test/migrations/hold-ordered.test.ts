import type { OrgId } from '@jobline/contracts';
import { holdOrdered, insertJobs, type NewJob } from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';

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
  chunkKey: null,
  ...more,
});

it('a new ordered limit holds the oldest waiting and scheduled jobs first, whatever their priorities', async () => {
  const later = new Date(Date.now() + 3_600_000);
  const jobs = [job('1'), job('2', { runAt: later }), job('3', { priority: 9 }), job('4', { type: 'other' }), job('5')];
  for (const one of jobs) await insertJobs(database.hot, [one]);
  await database.db
    .$executeRaw`INSERT INTO organizations (id, name, created_at) VALUES (${orgId}::uuid, 'acme', now())`;
  await database.db.$executeRaw`
    INSERT INTO limits (org_id, name, types, concurrency, per, ordered, paused, created_at, updated_at)
    VALUES (${orgId}::uuid, 'lane', '{mail}', 1, 'key', true, false, now(), now())`;
  const heldIds = async () => {
    const rows = await database.db.liveJob.findMany({ where: { place: 'held' }, orderBy: { id: 'asc' } });
    return rows.map(({ id }) => id);
  };

  expect(await holdOrdered(database.db, orgId, 2)).toBe(2);
  expect(await heldIds()).toEqual(['1', '2']);
  expect(await holdOrdered(database.db, orgId, 9)).toBe(2);
  expect(await heldIds()).toEqual(['1', '2', '3', '5']);
});
