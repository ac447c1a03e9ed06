import { BULK_LIMITS, type OrgId } from '@jobline/contracts';
import { createBulk, startInTurn } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';

const PARTS = 10;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

it('a bulk action of the highest number of jobs is stored, and the time that this takes is measured', async () => {
  const orgId = newId() as OrgId; // the cast: ids are branded only in our types
  await database.db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${orgId}::uuid, 'a')`;
  for (let part = 0; part < PARTS; part++) {
    await database.db.$executeRaw`
      INSERT INTO live_jobs (key, org_id, id, type, queue, status, place, run_at, created_at, updated_at, max_retries)
      SELECT gen_random_uuid(), ${orgId}::uuid, ${part}::int || '-' || n, 'nap', 'io', 'pending', 'scheduled',
        now() + interval '1 day', now() - n * interval '1 ms', now(), 0
      FROM generate_series(1, ${BULK_LIMITS.jobs / PARTS}::int) AS n`;
  }
  await database.db.$executeRaw`ANALYZE live_jobs`;
  const filter = { statuses: ['pending' as const], types: ['nap'] };
  const bulk = {
    id: newId(),
    action: 'cancel' as const,
    perSecond: null,
    events: true,
    filter,
    asked: {},
    types: null,
    createdBy: null,
    apiKey: null,
  };

  const startedAt = performance.now();
  const row = await startInTurn(database.db, orgId, (tx) => createBulk(tx, orgId, bulk, BULK_LIMITS.jobs + 1));

  console.log(`${row.total} jobs in ${Math.round(performance.now() - startedAt)} ms`);
  expect(row.total).toBe(BULK_LIMITS.jobs);
  const [stored] = await database.db.$queryRaw<{ keys: number }[]>`
    SELECT sum(cardinality(keys))::int AS keys FROM bulk_parts WHERE bulk_id = ${bulk.id}::uuid`;
  expect(stored?.keys).toBe(BULK_LIMITS.jobs);
});
