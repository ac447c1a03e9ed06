import type { Client } from 'pg';

/**
 * Writes an organization's jobs of nine types: one in ten failed, one in a thousand waits, the others are done. Half of
 * them are of the last 24 hours and the others of the 29 days before, as after a growth of the load.
 */
export async function fill(client: Client, orgId: string, count: number): Promise<void> {
  const PAGE = 100_000;
  for (let from = 0; from < count; from += PAGE) {
    await client.query(
      `WITH n AS (SELECT g, now() - CASE WHEN g % 2 = 0 THEN interval '24 hours' * (g::float8 / $3)
                                        ELSE interval '24 hours' + interval '29 days' * (g::float8 / $3) END AS at
                  FROM generate_series($2::int + 1, least($2::int + ${PAGE}, $3::int)) AS g),
       made AS MATERIALIZED (
         SELECT at, gen_random_uuid() AS key,
                (ARRAY['send_email','send_sms','send_chat_message','webhook','generate_pdf','compress_image','ai_summarize',
                  'mobile_money_stk','team_chat_notify'])[1 + g % 9] AS type,
                (CASE WHEN g % 1000 = 999 THEN 'pending' WHEN g % 10 = 0 THEN 'failed' ELSE 'done' END)::job_status AS status
         FROM n),
       submitted AS (
         INSERT INTO submitted_jobs (key, org_id, id, type, payload, created_at)
         SELECT key, $1, key::text, type, '{}', at FROM made),
       live AS (
         INSERT INTO live_jobs (key, org_id, id, type, queue, attempt, run_at, created_at, updated_at, started_at, place)
         SELECT key, $1, key::text, type, 'io', 1, at, at, at, at, 'scheduled' FROM made WHERE status = 'pending')
       INSERT INTO finished_jobs (key, org_id, id, type, queue, status, attempt, run_at, created_at, started_at, finished_at,
                                  duration_ms, error_code, error_message)
       SELECT key, $1, key::text, type, 'io', status, 1, at, at, at, at, 40,
              CASE WHEN status = 'failed' THEN 'handler_error' END, CASE WHEN status = 'failed' THEN 'it broke' END
       FROM made WHERE status <> 'pending'`,
      [orgId, from, count],
    );
  }
  await client.query('VACUUM ANALYZE submitted_jobs, live_jobs, finished_jobs');
}
