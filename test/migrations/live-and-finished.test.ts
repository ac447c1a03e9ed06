import { randomUUID } from 'node:crypto';
import type { Db } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { expect, it } from 'vitest';
import { withDatabaseBefore } from './database-before.js';

const MIGRATION = '20261124000000_live_and_finished';
/** SQL: rows of the earlier table `jobs`, by the columns that differ from BASE. */
const ROWS: Record<string, string>[] = [
  { status: "'pending'", place: "'waiting'", retries: '1', error_code: "'timeout'", error_message: "'late'" },
  { status: "'pending'", place: "'scheduled'", run_at: "now() + interval '1 h'", traceparent: "'00-a-b-01'" },
  { status: "'processing'", worker_id: 'gen_random_uuid()', claim_token: 'gen_random_uuid()', attempt: '1' },
  { status: "'processing'", worker_id: 'gen_random_uuid()', cancel_requested_at: 'now()', enqueue_seq: '2' },
  { status: "'done'", result: `'{"a":1}'`, finished_at: 'now()', duration_ms: '7', content_hash: "'\\x00ff'" },
  { status: "'failed'", error_code: "'canceled'", error_message: "'no'", finished_at: 'now()', crash_count: '2' },
];
const BASE = { type: "'a'", queue: "'cpu'", payload: `'{"to": "x"}'`, priority: '3', max_retries: '4' };
const TIMES = { run_at: 'now()', created_at: 'now()', updated_at: 'now()' };

it('the migration keeps the state of every job, in one of the two tables', () =>
  withDatabaseBefore(MIGRATION, async ({ url, db }) => {
    for (const row of ROWS) {
      const ids = { key: 'gen_random_uuid()', org_id: 'gen_random_uuid()', id: `'${randomUUID()}'` };
      const values = { ...ids, ...BASE, ...TIMES, ...row };
      await db.$executeRawUnsafe(`INSERT INTO jobs (${Object.keys(values)}) VALUES (${Object.values(values)})`);
    }
    const rows = await allJobs(db);

    expect(await migrate(url)).toContain(MIGRATION);

    // A finished job has no stage.
    const kept = rows.map((row) => (row.finished_at === null ? row : { ...row, place: null }));
    expect(rows).toHaveLength(ROWS.length);
    expect(await allJobs(db)).toMatchObject(kept);
    expect(await db.liveJob.count()).toBe(4);
    expect(await db.finishedJob.count()).toBe(2);
  }));

async function allJobs(db: Db): Promise<Record<string, unknown>[]> {
  const found = await db.$queryRaw<{ row: Record<string, unknown> }[]>`
    SELECT row_to_json(j) AS row FROM jobs j ORDER BY key`;
  return found.map(({ row }) => row);
}
