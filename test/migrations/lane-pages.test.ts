import type { JobKey, OrgId } from '@jobline/contracts';
import { type Db, type HotDb, listHeld, listLaneOrgs, listLanes, listOrderedHeads, nextWakeMs } from '@jobline/db';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase, until } from '../harness/index.js';
import { pagesOf, statementsOf } from './explain.js';

const JOBS = 20_000;
const KEYS = 10_000;
/** The limit for a statement that needs a few rows, in pages of 8 kB. The tables have hundreds, and so have their indexes. */
const FEW_PAGES = 60;
// The casts: the organizations need no rows.
const ofJobs = '00000000-0000-7000-8000-000000000001' as OrgId;
const ofKeys = '00000000-0000-7000-8000-000000000002' as OrgId;

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: '-c random_page_cost=1.1 -c jit=off' });
  await client.connect();
  await fill(ofJobs, JOBS, "'one'", 'NULL');
  await fill(ofKeys, KEYS, "'each'", "'key ' || n");
  // Every key has started a job, and its rate allows the next one in an hour.
  await client.query(`UPDATE limit_lanes SET wake_at = now() + interval '1 h' WHERE org_id = '${ofKeys}'`);
  await client.query(`UPDATE limit_lanes SET parked_on = 'one' WHERE org_id = '${ofJobs}'`);
  await vacuum();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function fill(orgId: OrgId, count: number, limit: string, key: string): Promise<void> {
  const prefix = orgId.slice(-1);
  await client.query(
    `INSERT INTO jobs (key, org_id, id, type, queue, payload, status, place, run_at, created_at, updated_at, limit_name, limit_key)
     SELECT ('00000000-000${prefix}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '${orgId}', 'job ' || n, 'light', 'io', '{}',
       'pending', 'held', now() - interval '1 h' + n * interval '1 ms', now() - interval '1 h' + n * interval '1 ms', now(),
       ${limit}, ${key}
     FROM generate_series(1, ${count}) AS n`,
  );
}

/** Removes the row versions that the statements above have replaced. An ANALYZE in the background can keep them at first. */
async function vacuum(): Promise<void> {
  await until('no row version of limit_lanes to be dead', async () => {
    await client.query('VACUUM limit_lanes');
    const { rows } = await client.query(`SELECT pg_stat_get_dead_tuples('limit_lanes'::regclass)::int AS dead`);
    return rows[0].dead === 0;
  });
}

async function pages(send: (db: Db, hot: HotDb) => Promise<unknown>): Promise<number> {
  let sum = 0;
  for (const statement of await statementsOf(send)) sum += await pagesOf(client, statement);
  return sum;
}

async function lanesOf(orgId: OrgId): Promise<{ lane: string; limit_key: string }[]> {
  return (await client.query('SELECT lane, limit_key FROM limit_lanes WHERE org_id = $1 LIMIT 3', [orgId])).rows;
}

describe.each(['before', 'after'])('%s an ANALYZE, however many jobs and keys wait for limits,', (when) => {
  beforeAll(async () => {
    if (when === 'after') await client.query('ANALYZE live_jobs, limit_lanes');
  });

  it('the dispatcher finds the lanes to look at', async () => {
    const closed = [{ orgId: ofJobs, name: 'one' }];
    expect(await pages((_db, hot) => listLaneOrgs(hot, null, 50))).toBeLessThan(FEW_PAGES);
    expect(await pages((db) => listLanes(db, [ofJobs, ofKeys], closed, 100))).toBeLessThan(FEW_PAGES);
    expect(await pages((db) => listLanes(db, [ofJobs, ofKeys], [], 100))).toBeLessThan(FEW_PAGES);
    expect(await pages((db) => nextWakeMs(db, [ofJobs, ofKeys]))).toBeLessThan(FEW_PAGES);
  });

  it('it finds the first jobs of a lane, and the first of a key', async () => {
    const [lane] = await lanesOf(ofJobs);
    const [key] = await lanesOf(ofKeys);
    const except = ['00000000-0001-7000-8000-000000000001' as JobKey]; // the cast: it is the key of a job
    expect(await pages((db) => listHeld(db, [{ id: lane?.lane ?? '', limit: 5 }], except))).toBeLessThan(FEW_PAGES);
    const of = [{ orgId: ofKeys, name: 'each', limitKey: key?.limit_key ?? '' }];
    expect(await pages((db) => listOrderedHeads(db, of))).toBeLessThan(FEW_PAGES);
  });
});
