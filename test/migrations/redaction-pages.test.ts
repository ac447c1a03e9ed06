import type { JobKey, OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import {
  listDueForRedaction,
  listOldOf,
  listRedactingOrgs,
  listRetainingOrgs,
  redactJobs,
  retryFailed,
} from '@jobline/db/job-transitions';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { pagesOf, statementsOf } from './explain.js';

const ROWS = 20_000;
const LIMIT = 20;
/** The limit for a statement, in pages of 8 kB: some 20 for each row. The tables have hundreds, and so have their indexes. */
const FEW_PAGES = 20 * LIMIT;
/** The casts: ids are branded only in our code. */
const ORG = '00000000-0000-7000-8000-000000000001' as OrgId;
const KEYS = Array.from({ length: LIMIT }, (_, n) => keyOf(1_000 + n));

let database: TestDatabase;
let client: pg.Client;
let finishedAt: Date;

function keyOf(n: number): JobKey {
  // The cast: see above.
  return `00000000-0000-7000-8001-${String(n).padStart(12, '0')}` as JobKey;
}

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: '-c random_page_cost=1.1 -c jit=off' });
  await client.connect();
  await client.query(
    `INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, run_at, created_at, updated_at, finished_at)
     SELECT ('00000000-0000-7000-8001-' || lpad(n::text, 12, '0'))::uuid, $1, 'job-' || n, 'custom', 'io', '{"card":1}', 'failed', 1,
       at, at, at, at FROM (SELECT n, now() - interval '2 days' + n * interval '1 s' AS at FROM generate_series(1, ${ROWS}) AS n) AS j`,
    [ORG],
  );
  await client.query(
    `INSERT INTO messages (id, org_id, channel, status, provider, recipient, body, called_at, created_at, updated_at, job_key)
     SELECT key, org_id, 'sms', 'sent', 'sandbox', '+254700000001', 'text', created_at, created_at, created_at, key FROM jobs`,
  );
  await client.query(
    `INSERT INTO webhook_events (org_id, type, data, job_key, is_planned, created_at)
     SELECT org_id, 'message.sent', '{"to":"x"}', key, true, created_at FROM jobs`,
  );
  await client.query(`
    INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'Acme' FROM generate_series(1, ${ROWS})`);
  await client.query('INSERT INTO organizations (id, name) VALUES ($1, $2)', [ORG, 'Acme']);
  await client.query('INSERT INTO organization_settings (org_id, alerts_by_email) SELECT id, true FROM organizations');
  await client.query(
    `UPDATE organization_settings SET retention_days = 1, redact_keys = '{card}', redacted_until_key = $2, redacted_until = (
       SELECT finished_at FROM finished_jobs WHERE key = $2) WHERE org_id = $1`,
    [ORG, keyOf(999)],
  );
  await client.query('VACUUM ANALYZE');
  const { rows } = await client.query('SELECT finished_at FROM finished_jobs WHERE key = $1', [KEYS[0]]);
  finishedAt = rows[0].finished_at;
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const org = { orgId: ORG, keys: ['card'] };

it.each<[string, (db: Db) => Promise<unknown>]>([
  ['the organizations that redact', (db) => listRedactingOrgs(db, null, LIMIT)],
  [
    'the organizations that keep their jobs for less time',
    (db) => listRetainingOrgs(db, { after: null, days: 30, limit: LIMIT }),
  ],
  [
    'the next jobs to redact',
    (db) => listDueForRedaction(db, org, { lagMs: 0, limit: LIMIT, searchedBytes: 10_000, bytes: 1_000 }),
  ],
  [
    'jobs to redact with their messages and events',
    (db) =>
      redactJobs(
        db,
        org.keys,
        KEYS.map((key) => ({ key, finishedAt, payload: '{}' })),
      ),
  ],
  ['the next jobs to delete', (db) => listOldOf(db, { orgId: ORG, days: 1 }, LIMIT)],
  ['a job to retry', (db) => retryFailed(db, keyOf(5_000), false, 'retried')],
])('%s are found in few pages, however many jobs and organizations there are', async (_what, send) => {
  const [statement] = await statementsOf(send);
  if (!statement) throw new Error('no statement was sent');

  expect(await pagesOf(client, statement)).toBeLessThan(FEW_PAGES);
});
