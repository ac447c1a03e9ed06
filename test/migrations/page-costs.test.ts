import type { OrgId, UserId } from '@jobline/contracts';
import {
  type Db,
  deleteExpiredMessages,
  listAudit,
  listJobs,
  listMessages,
  listNextSchedules,
  listSchedules,
} from '@jobline/db';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { pagesOf, statementsOf } from './explain.js';

const ROWS = 20_000;
const LIMIT = 20;
const NEWEST_AT = Date.UTC(2026, 0, 31);
/** The casts: ids are branded only in our code. */
const ORG = newId() as OrgId;
const USER = newId() as UserId;

let database: TestDatabase;
let client: pg.Client;

/** When the row with this many newer rows was made: one row per second. */
const madeAt = (depth: number) => new Date(NEWEST_AT - depth * 1_000);

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const org = [ORG, new Date(NEWEST_AT).toISOString(), ROWS];
  const rows = `(SELECT n, $2::timestamptz - n * interval '1 second' AS at, $1::uuid AS org FROM generate_series(0, $3::int - 1) AS n) r`;
  await client.query(
    `INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, finished_at, tags, limit_key,
       error_code, schedule_id)
     SELECT md5('job' || n)::uuid, org, 'job-' || n, (ARRAY['webhook', 'send_sms'])[1 + n % 2], 'io', '{}',
       (ARRAY['done', 'failed'])[1 + (n / 2) % 2]::job_status, at, at, at, at, '{all}', 'acme',
       CASE WHEN (n / 2) % 2 = 1 THEN CASE WHEN n >= 0.9 * $3::int THEN 'outbound_forbidden' ELSE 'timeout' END END, $1::uuid
     FROM ${rows}`,
    org,
  );
  // The older half belongs to jobs that are kept.
  await client.query(
    `INSERT INTO messages (id, org_id, channel, status, provider, recipient, body, called_at, created_at, updated_at, job_key)
     SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
       org, 'sms', (ARRAY['sent', 'delivered'])[1 + n % 2]::message_status, 'sandbox', '+254700000001', 'text', at, at, at,
       CASE WHEN n >= $3::int / 2 THEN md5('job' || n)::uuid ELSE md5('gone' || n)::uuid END FROM ${rows}`,
    org,
  );
  await client.query(
    `INSERT INTO audit_entries (id, org_id, at, action, actor_id)
     SELECT gen_random_uuid(), org, at, (ARRAY['login.succeeded', 'logout'])[1 + n % 2], $4::uuid FROM ${rows}`,
    [...org, USER],
  );
  await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`, [ORG]);
  await client.query(
    `INSERT INTO schedules (id, org_id, name, every_seconds, timezone, anchor_at, type, payload, payload_bytes, max_retries, priority,
       overlap, missed, enabled, next_run_at, created_at)
     SELECT md5('schedule' || n)::uuid, org, 'n' || n, 60, 'UTC', at, 't', '{}', 2, 0, 0, 'allow', 'skip', true,
       now() + n * interval '1 s', at FROM ${rows}`,
    org,
  );
  await client.query('VACUUM ANALYZE submitted_jobs, finished_jobs, job_tags, messages, audit_entries, schedules');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const cursorAt = (depth: number) => ({ createdAt: madeAt(depth), id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' });
const page = (depth: number) => ({ limit: LIMIT, cursor: cursorAt(depth) });
const before = { createdBefore: madeAt(-1) };

const lists: Record<string, (db: Db, depth: number) => Promise<unknown>> = {
  'all jobs': (db, depth) => listJobs(db, ORG, { ...page(depth), statuses: [] }),
  'failed jobs': (db, depth) => listJobs(db, ORG, { ...page(depth), statuses: ['failed'] }),
  'the jobs of a type': (db, depth) => listJobs(db, ORG, { ...page(depth), statuses: [], types: ['webhook'] }),
  'the jobs of two types': (db, depth) =>
    listJobs(db, ORG, { ...page(depth), statuses: [], types: ['rare', 'webhook'] }),
  'jobs from before a time': (db, depth) => listJobs(db, ORG, { ...page(depth), ...before, statuses: [] }),
  'the jobs with a tag': (db, depth) => listJobs(db, ORG, { ...page(depth), statuses: [], tags: ['all'] }),
  'the jobs with a key': (db, depth) => listJobs(db, ORG, { ...page(depth), statuses: [], limitKey: 'acme' }),
  // Only the oldest tenth of the jobs has the code.
  'the jobs with an error code': (db, depth) =>
    listJobs(db, ORG, { ...page(depth), statuses: [], errorCode: 'outbound_forbidden' }),
  'the jobs of a schedule': (db, depth) => listJobs(db, ORG, { ...page(depth), statuses: [], scheduleId: ORG }),
  schedules: (db, depth) => listSchedules(db, ORG, { ...page(depth), types: null }),
  messages: (db, depth) => listMessages(db, ORG, 'sms', page(depth)),
  'the audit log': (db, depth) => listAudit(db, ORG, page(depth)),
  'the audit log of before a time': (db, depth) => listAudit(db, ORG, { ...page(depth), ...before }),
  'an action in the audit log': (db, depth) =>
    listAudit(db, ORG, { ...page(depth), ...before, action: 'login.succeeded' }),
  'the actions of a user': (db, depth) => listAudit(db, ORG, { ...page(depth), ...before, actorId: USER }),
};

describe('a page of a list costs the same at any depth:', () => {
  it.each(Object.entries(lists))('%s', async (_name, list) => {
    const pages: number[] = [];
    for (const share of [0, 0.25, 0.5, 0.9]) {
      const [statement] = await statementsOf((db) => list(db, share * ROWS));
      if (!statement) throw new Error('the list sends no statement');
      pages.push(await pagesOf(client, statement));
    }

    expect(Math.max(...pages), pages.join(' ')).toBeLessThanOrEqual(1.5 * Math.min(...pages) + 10);
  });
});

it('pages of jobs from before a time follow each other without a gap, for every position of the cursor', async () => {
  const seen: string[] = [];
  const filter = { statuses: [], createdBefore: madeAt(99), createdAfter: madeAt(150), limit: 7 };
  for (let cursor: { createdAt: Date; id: string } | undefined = cursorAt(10); ; ) {
    const { items, next } = await listJobs(database.db, ORG, { ...filter, cursor });
    seen.push(...items.map(({ id }) => id));
    if (!next) break;
    cursor = next;
  }

  expect(seen).toEqual(Array.from({ length: 51 }, (_, n) => `job-${n + 100}`));
});

it('a page of a list by labels reads 1,000 jobs at most, although no job matches', async () => {
  const labels = { tags: ['all'], limitKey: 'acme', statuses: ['pending' as const] };
  let pages = 0;
  for (const statement of await statementsOf((db) => listJobs(db, ORG, { ...page(0), ...labels })))
    pages += await pagesOf(client, statement);

  // Each costs a lookup in two tables by key, of about three pages.
  expect(pages).toBeLessThan(10 * 1_000);
});

it('looking for due schedules costs the same however many there are', async () => {
  const [statement] = await statementsOf(
    (_db, hot) => listNextSchedules(hot, { limit: LIMIT, except: [] }),
    [{ id: null }],
  );
  if (!statement) throw new Error('it sends no statement');

  expect(await pagesOf(client, statement)).toBeLessThanOrEqual(2 * LIMIT);
});

it('a page of expired messages costs the same however many are kept with their jobs, and however many jobs there are', async () => {
  const limit = 10;
  const pages: number[] = [];
  // From the oldest, and from the middle of those that are kept.
  for (const after of [null, messageIdOf(0.75 * ROWS)]) {
    const [statement] = await statementsOf((db) => deleteExpiredMessages(db, { after, days: 1, limit }));
    if (!statement) throw new Error('it sends no statement');
    pages.push(await pagesOf(client, statement));
  }

  expect(Math.max(...pages), pages.join(' ')).toBeLessThanOrEqual(10 * limit);
});

/** An id before that of the message with this many newer ones. */
function messageIdOf(depth: number): string {
  const hex = madeAt(depth).getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
