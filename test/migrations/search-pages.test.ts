import type { OrgId } from '@jobline/contracts';
import { createDb, type Db, listSearchedJobs } from '@jobline/db';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { addFailed } from '../noisy/seed-rows.js';
import { pagesOf, statementsOf } from './explain.js';

const JOBS = 20_000;
const READ = 100;
/** A job is read from the tables of submitted and of finished jobs, through indexes with a few levels. */
const PAGES_OF_JOB = 20;

let database: TestDatabase;
let client: pg.Client;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  db = createDb({ url: database.url, poolSize: 1, onIdleError: () => undefined });
});
afterEach(async () => {
  await Promise.all([client.end(), db.$disconnect()]);
  await database.drop();
});

it('the index of searches reads few pages for each new job of an organization that Postgres has no statistics of', async () => {
  // The cast: ids are branded only in our code.
  const [known, unknown] = [newId(), newId() as OrgId];
  await addFailed(db, known, JOBS);
  await client.query('ANALYZE');
  await addFailed(db, unknown, JOBS);
  const { rows } = await client.query<{ key: string }>(
    'SELECT key FROM submitted_jobs WHERE org_id = $1 ORDER BY key LIMIT $2',
    [unknown, READ],
  );
  const keys = rows.map(({ key }) => key);

  const options = { types: ['send_email'], maxBytes: 1024 ** 2, reserve: async () => undefined };
  const [statement] = await statementsOf((noting) => listSearchedJobs(noting, unknown, keys, options));

  expect(keys).toHaveLength(READ);
  if (!statement) throw new Error('no statement was sent');
  expect(await pagesOf(client, statement)).toBeLessThan(PAGES_OF_JOB * READ);
});
