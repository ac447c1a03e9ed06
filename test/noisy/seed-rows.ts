import type { Db } from '@jobline/db';

/** Columns of jobs as SQL expressions, in which `g` is the number of the job, from 1. */
export interface JobColumns {
  type?: string;
  payload?: string;
  max_retries?: string;
  run_at?: string;
  place?: string;
  tags?: string;
  limit_key?: string;
  limit_name?: string;
  expires_at?: string;
}

/** A key that begins with the present time, as those of submitted jobs do. */
const KEY = `(lpad(to_hex(floor(extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(g % 4096), 3, '0') || '8'
  || substr(md5(g || random()::text), 1, 15))::uuid`;

const DEFAULTS: Required<JobColumns> = {
  type: `'noisy.noop'`,
  payload: `'{}'::json`,
  max_retries: '0',
  run_at: `now() + interval '1 day'`,
  place: `'scheduled'`,
  tags: 'NULL::text[]',
  limit_key: 'NULL::text',
  limit_name: 'NULL::text',
  expires_at: 'NULL::timestamptz',
};

/** Writes pending jobs, by default for tomorrow. The caller's texts are those of the tests. */
export async function addPending(db: Db, orgId: string, count: number, columns: JobColumns = {}): Promise<void> {
  const c = { ...DEFAULTS, ...columns };
  await db.$executeRawUnsafe(`
    WITH made AS MATERIALIZED (
      SELECT ${KEY} AS key, '${orgId}'::uuid AS org_id, ${c.type} AS type, ${c.payload} AS payload, ${c.max_retries}::int AS max_retries,
        date_trunc('milliseconds', now()) AS created_at, ${c.run_at} AS run_at, ${c.place}::job_place AS place, ${c.tags} AS tags,
        ${c.limit_key} AS limit_key, ${c.limit_name} AS limit_name, ${c.expires_at} AS expires_at
      FROM generate_series(1, ${count}) AS g),
    submitted AS (
      INSERT INTO submitted_jobs (key, org_id, id, type, payload, max_retries, created_at, tags, limit_key, limit_name)
      SELECT key, org_id, key::text, type, payload, max_retries, created_at, tags, limit_key, limit_name FROM made)
    INSERT INTO live_jobs (key, org_id, id, type, queue, max_retries, run_at, place, created_at, updated_at, tags, limit_key, limit_name,
      expires_at)
    SELECT key, org_id, key::text, type, 'io', max_retries, run_at, place, created_at, created_at, tags, limit_key, limit_name, expires_at
    FROM made`);
}

/** Writes failed jobs that have just ended. `message` is the text of their errors. */
export async function addFailed(
  db: Db,
  orgId: string,
  count: number,
  { type = DEFAULTS.type, payload = DEFAULTS.payload, message = `'no'` } = {},
): Promise<void> {
  await db.$executeRawUnsafe(`
    WITH made AS MATERIALIZED (
      SELECT ${KEY} AS key, '${orgId}'::uuid AS org_id, ${type} AS type, ${payload} AS payload, ${message} AS message,
        date_trunc('milliseconds', now()) - interval '1 minute' AS at
      FROM generate_series(1, ${count}) AS g),
    submitted AS (
      INSERT INTO submitted_jobs (key, org_id, id, type, payload, created_at)
      SELECT key, org_id, key::text, type, payload, at FROM made)
    INSERT INTO finished_jobs (key, org_id, id, type, queue, status, attempt, run_at, created_at, started_at, finished_at, duration_ms,
      error_code, error_message)
    SELECT key, org_id, key::text, type, 'io', 'failed', 1, at, at, at, at, 1, 'handler_error', message FROM made`);
}

/** Writes an email of each finished job of an organization. */
export async function addMessages(db: Db, orgId: string): Promise<void> {
  await db.$executeRaw`
    INSERT INTO messages (id, org_id, channel, status, provider, recipient, subject, body, job_key, called_at, sent_at, created_at, updated_at)
    SELECT gen_random_uuid(), org_id, 'email', 'sent', 'smtp', 'a@example.com', 'a', 'a', key, finished_at, finished_at, created_at, finished_at
    FROM finished_jobs WHERE org_id = ${orgId}::uuid`;
}

/** Writes log lines of each finished job of an organization. */
export async function addLogLines(db: Db, orgId: string, lines: number, bytes: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO job_logs (job_key, org_id, attempt, level, message, at)
    SELECT key, org_id, 1, 'info', repeat(md5(random()::text), ${bytes}::int / 32), finished_at
    FROM finished_jobs, generate_series(1, ${lines}::int) WHERE org_id = ${orgId}::uuid`;
}
