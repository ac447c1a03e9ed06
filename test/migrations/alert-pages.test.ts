import type { OrgId } from '@jobline/contracts';
import { countFinished, type Db, listAlertedOrgs, readEnqueuedMs, readWaitingMs } from '@jobline/db';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { pagesOf, statementsOf } from './explain.js';

const JOBS = 20_000;
/** The limit for a statement, in pages of 8 kB. The tables have hundreds, and so have their indexes. */
const FEW_PAGES = 250;
// The cast: the organization needs no row.
const ORG = '00000000-0000-7000-8000-000000000001' as OrgId;

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: '-c random_page_cost=1.1 -c jit=off' });
  await client.connect();
  for (const stage of ['waiting', 'scheduled', 'held']) await fill('pending', stage, '1 hour');
  await fill('pending', 'scheduled', '-1 hour');
  await fill('failed', null, '1 hour');
  await client.query(`
    INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'Acme' FROM generate_series(1, ${JOBS})`);
  await client.query('INSERT INTO organization_settings (org_id, alerts_by_email) SELECT id, true FROM organizations');
  await client.query('VACUUM ANALYZE');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Stores jobs that became due, or finished, so long ago. */
async function fill(status: string, stage: string | null, ago: string): Promise<void> {
  await client.query(
    `INSERT INTO jobs (key, org_id, id, type, queue, payload, status, place, priority, run_at, created_at, updated_at, limit_name)
     SELECT key, $1, key::text, 'light', 'io', '{}', $2::job_status, $3::job_place, n % 10, at, at, at, CASE $3 WHEN 'held' THEN 'slow' END
     FROM (SELECT gen_random_uuid() AS key, n, now() - $4::interval + n * interval '1 ms' AS at FROM generate_series(1, ${JOBS}) AS n) AS j`,
    [ORG, status, stage, ago],
  );
}

it.each<[string, (db: Db) => Promise<unknown>]>([
  ['how long the oldest due job waits', (db) => readWaitingMs(db, ORG)],
  ['how long the oldest due job of some types waits', (db) => readWaitingMs(db, ORG, ['light', 'dark'])],
  ['how many jobs of some types finished lately', (db) => countFinished(db, ORG, ['light', 'dark'])],
  ['how many jobs finished lately', (db) => countFinished(db, ORG)],
  ['the jobs in Redis', (db) => readEnqueuedMs(db, [{ orgId: ORG, types: [] }])],
  ['the organizations with a threshold', (db) => listAlertedOrgs(db, null, 100)],
])('%s is read from few pages, however many jobs and organizations there are', async (_what, read) => {
  const [statement] = await statementsOf(read, [{ ms: 0 }]);
  if (!statement) throw new Error('no statement was sent');

  expect(await pagesOf(client, statement)).toBeLessThan(FEW_PAGES);
});
