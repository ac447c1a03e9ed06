import { randomUUID } from 'node:crypto';
import { migrate } from '@jobline/db/migrate';
import { expect, it } from 'vitest';
import { withDatabaseBefore } from './database-before.js';

const MIGRATION = '20261123120000_attempts';

/** Entries as version 0.1.0 wrote them: seconds, attempt, status and sentence. */
const OLD: [second: number, attempt: number, status: string | null, message: string][] = [
  [0, 1, 'processing', 'attempt 1 started'],
  [1, 1, null, 'attempt 1 succeeded in 3 ms'],
  [2, 1, 'pending', 'attempt 1 failed: it said; no attempt follows; the next attempt is due in 1500 ms'],
  [3, 2, 'processing', 'attempt 2 started'],
  [4, 2, 'pending', 'attempt 2 handed back: its worker stops'],
  [5, 3, 'processing', 'attempt 3 started'],
  [6, 3, 'pending', 'the worker was lost during attempt 3; the job is taken over'],
  [7, 4, 'processing', 'attempt 4 started'],
  [8, 4, null, 'somebody asked to cancel the job'],
  [9, 4, 'failed', 'attempt 4 failed: the job was canceled; no attempt follows'],
  [10, 4, 'pending', 'sent to run again: attempt 5 follows, and of 3 retries none is used'],
  [11, 5, 'processing', 'attempt 5 started'],
  [12, 5, 'failed', 'attempt 5 ended: its worker was lost; the job was canceled, no attempt follows'],
  [13, 5, 'pending', 'sent to run again: attempt 6 follows, and of 3 retries none is used'],
  [14, 5, 'failed', 'the job was canceled'],
  [15, 5, 'pending', 'sent to run again: attempt 6 follows, and of 3 retries none is used'],
  [16, 6, 'processing', 'attempt 6 started'],
  [17, 6, 'failed', 'the worker was lost during attempt 6; 5 workers were lost with it, no attempt follows'],
  [18, 6, 'pending', 'sent to run again: attempt 7 follows, and of 3 retries none is used'],
  [19, 7, 'processing', 'attempt 7 started'],
  [20, 7, 'failed', 'attempt 7 failed: the last word; no attempt follows'],
  [21, 7, 'pending', 'sent to run again: attempt 8 follows, and of 3 retries none is used'],
  [22, 8, 'failed', 'no handler is registered for type "gone"'],
  [23, 8, 'pending', 'sent to run again: attempt 9 follows, and of 3 retries none is used'],
  [24, 9, 'processing', 'attempt 9 started'],
  [25, 9, 'done', 'attempt 9 succeeded in 812 ms'],
];

it('log entries of version 0.1.0 become data', () =>
  withDatabaseBefore(MIGRATION, async ({ url, db }) => {
    const [orgId, key] = [randomUUID(), randomUUID()];
    await db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${orgId}::uuid, 'Org')`;
    await db.$executeRaw`
      INSERT INTO jobs (key, org_id, id, type, queue, payload, content_hash, status, max_retries, attempt, error_code, run_at, created_at, updated_at)
      VALUES (${key}::uuid, ${orgId}::uuid, 'a', 'a', 'io', '{}', '', 'failed', 3, 7, 'timeout', now(), now(), now())`;
    for (const [second, attempt, status, message] of OLD) {
      await db.$executeRaw`
        INSERT INTO job_logs (job_key, org_id, attempt, level, message, at, status)
        VALUES (${key}::uuid, ${orgId}::uuid, ${attempt}::int, 'info', ${message},
          '2026-11-21T10:00:00Z'::timestamptz + ${second}::int * interval '1 second', ${status}::job_status)`;
    }

    expect(await migrate(url)).toContain(MIGRATION);

    const rows = await db.jobLog.findMany({ where: { jobKey: key }, orderBy: { id: 'asc' } });
    const due = new Date('2026-11-21T10:00:03.500Z');
    expect(rows.map((row) => [row.attempt, row.kind, row.message, row.durationMs, row.errorCode])).toEqual([
      [1, 'started', null, null, null],
      [1, 'log', 'attempt 1 succeeded in 3 ms', null, null],
      [1, 'failed', 'it said; no attempt follows', 2_000, 'handler_error'],
      [2, 'started', null, null, null],
      [2, 'released', 'its worker stops', 1_000, null],
      [3, 'started', null, null, null],
      [3, 'worker_lost', null, 1_000, null],
      [4, 'started', null, null, null],
      [4, 'canceled', 'cancellation requested', null, null],
      [4, 'canceled', null, 2_000, 'canceled'],
      [4, 'note', OLD[10]?.[3], null, null],
      [5, 'started', null, null, null],
      [5, 'canceled', 'its worker was lost', 1_000, 'canceled'],
      [5, 'note', OLD[13]?.[3], null, null],
      [5, 'canceled', 'the job was canceled', null, 'canceled'],
      [5, 'note', OLD[15]?.[3], null, null],
      [6, 'started', null, null, null],
      [6, 'worker_lost', '5 workers were lost with it', 1_000, 'worker_lost'],
      [6, 'note', OLD[18]?.[3], null, null],
      [7, 'started', null, null, null],
      [7, 'failed', 'the last word', 1_000, 'timeout'],
      [7, 'note', OLD[21]?.[3], null, null],
      [8, 'failed', 'no handler is registered for type "gone"', 0, 'no_handler'],
      [8, 'note', OLD[23]?.[3], null, null],
      [9, 'started', null, null, null],
      [9, 'succeeded', null, 812, null],
    ]);
    expect(rows.map((row) => row.nextAttemptAt)).toEqual(OLD.map((_, n) => (n === 2 ? due : null)));
  }));
