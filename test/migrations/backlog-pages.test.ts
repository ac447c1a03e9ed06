import type { JobKey, OrgId } from '@jobline/contracts';
import { HOT_SESSION, type HotDb } from '@jobline/db';
import {
  claimWaiting,
  insertJobs,
  listWaitingOrgs,
  listWaitingQueues,
  type NewJob,
  type Position,
  promoteDue,
} from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { sqltag } from '@prisma/client/runtime/client';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';

const JOBS = 20_000;
/**
 * The limit for a statement that needs a few rows, in pages of 8 kB. The table has hundreds, and so has each of its
 * indexes.
 */
const FEW_PAGES = 60;

let database: TestDatabase;
let client: pg.Client;
/** Another session, which holds an old snapshot. */
let reader: pg.Client;
const orgId = '00000000-0000-7000-8000-000000000001' as OrgId; // the cast: the organization needs no row

beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: HOT_SESSION });
  reader = new pg.Client({ connectionString: database.url });
  await Promise.all([client.connect(), reader.connect()]);
});
afterEach(async () => {
  await Promise.all([client.end(), reader.end()]);
  await database.drop();
});

/** Jobs of ten organizations; the first `waiting` of them wait, the others are done. */
async function fill(waiting: number): Promise<void> {
  await client.query(
    `INSERT INTO jobs (key, org_id, id, type, queue, payload, status, place, run_at, created_at, updated_at, finished_at)
     SELECT ('00000000-0001-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       ('00000000-0000-7000-8000-' || lpad(to_hex(n % 10 + 1), 12, '0'))::uuid, 'job ' || n, 'light', 'io', '{}',
       (CASE WHEN n <= $1 THEN 'pending' ELSE 'done' END)::job_status, 'waiting', now() - interval '1 h' + n * interval '1 ms',
       now(), now(), CASE WHEN n > $1 THEN now() END
     FROM generate_series(1, ${JOBS}) AS n`,
    [waiting],
  );
}

/** Returns how many pages a call of the engine reads, with the plan that a connection would keep for it. */
async function pagesOf(call: (hot: HotDb) => Promise<unknown>): Promise<number> {
  let pages = 0;
  const hot: HotDb = {
    async query(statement, ...parameters) {
      const { text, values } = sqltag(statement, ...parameters);
      await client.query(`BEGIN; PREPARE hot AS ${text}`);
      const execute = values.length > 0 ? `EXECUTE hot(${values.map(literal).join()})` : 'EXECUTE hot';
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${execute}`);
      await client.query('ROLLBACK; DEALLOCATE hot');
      const { Plan } = rows[0]['QUERY PLAN'][0];
      pages += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
      return [];
    },
    close: async () => undefined,
  };
  await call(hot);
  return pages;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) {
    return pg.escapeLiteral(`{${value.map((one) => (one === null ? 'NULL' : JSON.stringify(String(one)))).join()}}`);
  }
  return value === null ? 'NULL' : pg.escapeLiteral(String(value));
}

function newJob(): NewJob {
  const key = newId() as JobKey; // the cast: it is the key of a job
  return {
    key,
    orgId,
    id: key,
    type: 'light',
    queue: 'io',
    payload: '{}',
    contentHash: null,
    priority: 0,
    maxRetries: 0,
    runAt: null,
    traceparent: null,
    hasCapacity: true,
  };
}

/** Looks for the next jobs. The worker is not registered, so it claims none. */
function claimNext(hot: HotDb, after: Position | null): Promise<unknown> {
  const worker = { id: newId(), types: ['light'], leaseMs: 1_000, capacity: { crashedOnce: 0, isolated: 0 } };
  const tokens = Array.from({ length: 5 }, () => newId());
  return claimWaiting(hot, worker, { queue: 'io', requests: [{ orgId, after, count: 5 }], tokens });
}

const calls: [string, (hot: HotDb) => Promise<unknown>][] = [
  ['listing the queues with waiting jobs', (hot) => listWaitingQueues(hot, ['browser', 'cpu', 'io'])],
  ['listing the organizations with waiting jobs', (hot) => listWaitingOrgs(hot, 'io', { after: null, limit: 10 })],
  [
    'listing the organizations of a queue without waiting jobs',
    (hot) => listWaitingOrgs(hot, 'cpu', { after: null, limit: 10 }),
  ],
  ['claiming waiting jobs', (hot) => claimNext(hot, null)],
  ['promoting due jobs', (hot) => promoteDue(hot, { after: null, limit: 5 })],
  ['storing a job', (hot) => insertJobs(hot, [newJob()])],
];

describe.each([0.9, 0.001])('after an ANALYZE while %d of the table waits', (share) => {
  it('no statement of the dispatcher or of a submission reads more than a few pages', async () => {
    await fill(JOBS * share);
    await client.query('ANALYZE live_jobs');

    for (const [name, call] of calls) expect(await pagesOf(call), name).toBeLessThan(FEW_PAGES);
  });
});

describe('while an old snapshot keeps dead rows at the head of the backlog', () => {
  it('neither a submission nor a claim that continues at its position reads the dead rows of the backlog', async () => {
    await fill(JOBS);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM workers');
    const left = JOBS - 1_000;
    const { rows } = await client.query(
      `DELETE FROM live_jobs WHERE key <= ('00000000-0001-7000-8000-' || lpad(to_hex($1::int), 12, '0'))::uuid
       RETURNING priority, run_at AS "runAt", key, org_id`,
      [left],
    );
    const after = rows.filter((row) => row.org_id === orgId).at(-1);

    const listed = (from: typeof after | null) => pagesOf((hot) => claimNext(hot, from));
    expect(await listed(null)).toBeGreaterThan(5 * FEW_PAGES);
    expect(await listed(after)).toBeLessThan(FEW_PAGES);
    expect(await pagesOf((hot) => insertJobs(hot, [newJob()]))).toBeLessThan(FEW_PAGES);
  });
});
