import { openClient } from '../postgres/pg-client.js';

export interface Restored {
  /** The job types that request payments. Their open jobs fail: a prompt may have been sent after the backup. */
  payments: readonly string[];
  /** Further types whose open jobs fail, because they must not run twice. */
  fail: readonly string[];
  /** Whether the transaction numbers go on, as after a point-in-time recovery. */
  keepsTransactions: boolean;
}

/** Makes a restored database ready for the apps. Returns how many jobs have failed with it. Safe to repeat. */
export async function settleAfterRestore(
  databaseUrl: string,
  { payments, fail, keepsTransactions }: Restored,
): Promise<number> {
  const client = await openClient(databaseUrl);
  try {
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
    await client.query('BEGIN');
    // So no attempt may send a prompt again, not even a retry by hand.
    await client.query(
      `INSERT INTO payments (id, org_id, job_key, provider, phone, amount, ref, status, updated_at)
       SELECT gen_random_uuid(), org_id, key, 'unknown', '', 0, '', 'calling', now() FROM jobs WHERE type = ANY ($1) AND status <> 'done'
       ON CONFLICT (job_key) DO UPDATE SET status = 'calling', updated_at = now() WHERE payments.status = 'refused'`,
      [payments],
    );
    const { rowCount } = await client.query(
      `WITH finished AS (DELETE FROM live_jobs WHERE type = ANY ($1) RETURNING *)
       INSERT INTO finished_jobs (key, org_id, id, type, queue, max_retries, retries, attempt, run_at, enqueue_seq, created_at, tags, limit_key,
         expires_at, finished_at, status, error_code, error_message)
       SELECT key, org_id, id, type, queue, max_retries, retries, attempt, run_at, enqueue_seq, created_at, tags, limit_key, expires_at, now(),
         'failed', 'unknown_effect', 'restored from a backup'
       FROM finished`,
      [[...payments, ...fail]],
    );
    // Events are ordered by transaction number. A new server starts with lower numbers: these statements put the old events first.
    if (!keepsTransactions) {
      for (const table of ['submitted_jobs', 'job_logs', 'job_progress', 'webhook_events'])
        await client.query(`UPDATE ${table} SET xid = '0' WHERE xid >= pg_current_xact_id()`);
    }
    await client.query('COMMIT');
    return rowCount ?? 0;
  } finally {
    await client.end(); // rolls back what a failure left open
  }
}

/** How many other sessions use the database. */
export async function countSessions(databaseUrl: string): Promise<number> {
  const client = await openClient(databaseUrl);
  try {
    const { rows } = await client.query<{ n: number }>(`
      SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`);
    return rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}

/** Deletes everything in the database. */
export async function emptyDatabase(databaseUrl: string): Promise<void> {
  const client = await openClient(databaseUrl);
  try {
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  } finally {
    await client.end();
  }
}
