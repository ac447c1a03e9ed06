import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb } from '@jobline/db';
import { MIGRATIONS, migrate, readMigrations } from '@jobline/db/migrate';
import { expect, it } from 'vitest';
import { adminUrl, withDatabase } from '../harness/index.js';

const MIGRATION = '20261124000000_live_and_finished';
/** Rows of the table of before: status, its stage, and what makes each of them special. */
const ROWS = [
  ['pending', 'waiting', { retries: 1, error_code: "'timeout'", error_message: "'late'", enqueue_seq: 2 }],
  ['pending', 'scheduled', { run_at: "now() + interval '1 h'", traceparent: "'00-a-b-01'" }],
  ['processing', 'enqueued', { worker_id: 'gen_random_uuid()', claim_token: 'gen_random_uuid()', attempt: 1 }],
  [
    'processing',
    'enqueued',
    { worker_id: 'gen_random_uuid()', cancel_requested_at: 'now()', chunk_key: 'gen_random_uuid()' },
  ],
  ['done', 'enqueued', { result: `'{"a":1}'`, finished_at: 'now()', duration_ms: 7, content_hash: "'\\x00ff'" }],
  ['failed', 'enqueued', { error_code: "'canceled'", error_message: "'no'", finished_at: 'now()', crash_count: 2 }],
] as const;

it('the migration keeps the state of every job, in one of the two tables', async () => {
  const name = `jobline_live_${process.pid}`;
  const url = withDatabase(adminUrl(), name);
  const before = await mkdtemp(join(tmpdir(), 'jobline-before-'));
  const db = createDb({ url, poolSize: 1, onIdleError: () => undefined });
  try {
    for (const { name: folder } of await readMigrations(MIGRATIONS)) {
      if (folder < MIGRATION) await cp(join(MIGRATIONS, folder), join(before, folder), { recursive: true });
    }
    await migrate(url, before);
    for (const [status, place, more] of ROWS) {
      await db.$executeRawUnsafe(`
        INSERT INTO jobs (key, org_id, id, type, queue, payload, status, place, priority, max_retries, created_at, updated_at,
          ${['run_at', ...Object.keys(more).filter((column) => column !== 'run_at')].join()})
        VALUES (gen_random_uuid(), '${randomUUID()}', '${randomUUID()}', 'a', 'cpu', '{"to": "x"}', '${status}', '${place}', 3, 4,
          now(), now(), ${[
            'run_at' in more ? more.run_at : 'now()',
            ...Object.entries(more).flatMap(([column, value]) => (column === 'run_at' ? [] : [value])),
          ].join()})`);
    }
    const rows = await allJobs();

    expect(await migrate(url)).toContain(MIGRATION);

    // A finished job has no stage and no worker.
    const kept = rows.map((row) => (row.finished_at === null ? row : { ...row, place: null, enqueued_at: null }));
    expect(rows).toHaveLength(ROWS.length);
    expect(await allJobs()).toEqual(kept);
    expect(await db.liveJob.count()).toBe(4);
    expect(await db.finishedJob.count()).toBe(2);
  } finally {
    await db.$disconnect();
    await rm(before, { recursive: true });
    const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined });
    await admin.$executeRawUnsafe(`DROP DATABASE IF EXISTS ${name}`);
    await admin.$disconnect();
  }

  async function allJobs(): Promise<Record<string, unknown>[]> {
    const found = await db.$queryRaw<
      { row: Record<string, unknown> }[]
    >`SELECT row_to_json(j) AS row FROM jobs j ORDER BY key`;
    return found.map(({ row }) => row);
  }
});
