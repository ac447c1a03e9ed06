import type { OrgId } from '@jobline/contracts';
import { countJobs } from '@jobline/db';
import { createRollUp } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase, until } from '../harness/index.js';
import { WINDOWS } from '../statistics/counts.js';
import { pagesOf, statementsOf } from './explain.js';

/** Finished jobs of an organization in 24 hours. */
const FEW = 1_000;
const MANY = 60_000;
/** With few jobs, some steps have no row for some of the types and statuses. */
const MORE_PAGES = 40;
/** The casts: ids are branded only in our code. */
const [small, large] = [newId() as OrgId, newId() as OrgId];

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: '-c random_page_cost=1.1 -c jit=off' });
  await client.connect();
  await fill(small, FEW);
  await fill(large, MANY);
  await client.query('VACUUM ANALYZE');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function fill(orgId: OrgId, count: number): Promise<void> {
  await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`, [orgId]);
  await client.query(
    `INSERT INTO finished_jobs (key, org_id, id, type, queue, status, run_at, created_at, finished_at)
     SELECT gen_random_uuid(), $1, n, 'type-' || n % 9, 'io', (CASE n % 7 WHEN 0 THEN 'failed' ELSE 'done' END)::job_status, at, at, at
     FROM generate_series(1, $2::int) AS n, LATERAL (SELECT now() - interval '24 h' * n / $2 AS at) AS t`,
    [orgId, count],
  );
}

async function pagesFor(orgId: OrgId, window: keyof typeof WINDOWS): Promise<number> {
  const rows = [{ stats: '{"series": []}', oldestPendingAt: null }];
  const [statement] = await statementsOf((db) => countJobs(db, orgId, { ...WINDOWS[window], maxTypes: 50 }), rows);
  if (!statement) throw new Error('no statement was sent');
  return pagesOf(client, statement);
}

async function countAll(): Promise<void> {
  const id = newId();
  const task = createRollUp({ db: database.db, lease: { id: () => id } });
  await until('all steps to be counted', async () => {
    for (let n = 0; n < 100; n++) await task.round();
    const { rows } = await client.query(
      `SELECT FROM job_count_progress WHERE counted_until + (step_minutes + 2) * interval '1 min' < now()`,
    );
    return rows.length === 0;
  });
  await client.query('VACUUM ANALYZE job_counts, job_count_corrections, job_count_progress');
}

it('statistics read as many pages with many jobs as with few, once their steps are counted', async () => {
  expect(await pagesFor(large, '24h')).toBeGreaterThan(300);

  await countAll();

  for (const window of ['1h', '24h', '7d'] as const) {
    const [few, many] = [await pagesFor(small, window), await pagesFor(large, window)];
    expect(many, `${window}: ${few} and ${many}`).toBeLessThanOrEqual(few + MORE_PAGES);
  }
});
