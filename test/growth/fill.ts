import type { OrgId } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import type pg from 'pg';

export const TYPES = [
  ...['send_email', 'send_sms', 'send_chat_message', 'webhook', 'generate_pdf', 'compress_image', 'ai_summarize'],
  ...['mobile_money_stk', 'team_chat_notify'],
];
/** The time over which the jobs are spread. */
export const DAYS = 30;
/** Jobs of one transaction. An event stream sorts the events of each transaction. */
const PAGE = 1_000;

/** Twenty-one organizations. The first one has half of all jobs. */
export async function addOrgs(client: pg.Client): Promise<[OrgId, ...OrgId[]]> {
  const add = async (): Promise<OrgId> => {
    // The cast: ids are branded only in our code.
    const id = newId() as OrgId;
    await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`, [id]);
    return id;
  };
  const orgs: [OrgId, ...OrgId[]] = [await add()];
  for (let n = 0; n < 20; n++) orgs.push(await add());
  return orgs;
}

/**
 * Writes jobs that finished at equal distances in a time, with the log lines that the service writes. Three of a hundred failed.
 * Their keys begin with the time, like those of submitted jobs.
 */
export async function fill(
  client: pg.Client,
  orgs: readonly OrgId[],
  { count, sinceMs, untilMs }: { count: number; sinceMs: number; untilMs: number },
): Promise<void> {
  for (let from = 0; from < count; from += PAGE) {
    await client.query(
      `WITH w AS MATERIALIZED (SELECT $3::int AS first, $4::int AS count, $5::bigint AS since, $6::bigint AS until),
       n AS MATERIALIZED (
         SELECT g, hashint8(g + since) & 2147483647 AS hash, to_timestamp((since + (until - since) * (g::float8 / count)) / 1000) AS at
         FROM w, generate_series(first, least(first + ${PAGE}, count) - 1) AS g),
       made AS MATERIALIZED (
         SELECT date_trunc('milliseconds', at) AS at, g, hash,
           (lpad(to_hex(floor(extract(epoch FROM at) * 1000 - 2000)::bigint), 12, '0') || '7' || lpad(to_hex(g % 4096), 3, '0') || '8'
             || substr(md5(g || 'key'), 1, 15))::uuid AS key,
           CASE WHEN g % 2 = 0 THEN ($1::uuid[])[1] ELSE ($1::uuid[])[2 + g / 2 % 20] END AS org,
           ($2::text[])[1 + hash / 100 % array_length($2::text[], 1)] AS type,
           (CASE WHEN hash % 100 < 3 THEN 'failed' ELSE 'done' END)::job_status AS status
         FROM n),
       submitted AS (
         INSERT INTO submitted_jobs (key, org_id, id, type, payload, created_at)
         SELECT key, org, key::text, type, json_build_object('to', 'customer' || hash % 1000000 || '@example.com',
             'subject', 'Your order ' || g, 'text', 'It has left our store and arrives tomorrow.'),
           at - interval '2 s' FROM made),
       lines AS (
         INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms, error_code)
         SELECT m.key, m.org, 1, l.kind::log_kind, CASE WHEN l.kind = 'failed' THEN 'error' ELSE 'info' END::log_level, l.message,
           m.at - CASE WHEN l.n < 3 THEN interval '1 s' ELSE interval '0' END,
           CASE l.n WHEN 1 THEN 'processing' WHEN 3 THEN m.status END::job_status, CASE WHEN l.n = 3 THEN 1000 END,
           CASE WHEN l.kind = 'failed' THEN 'handler_error' END
         FROM made m, LATERAL (VALUES (1, 'started', NULL), (2, 'log', 'sent to the provider'),
           (3, CASE m.status WHEN 'done' THEN 'succeeded' ELSE 'failed' END,
             CASE m.status WHEN 'failed' THEN 'the receiver answered 503' END)) AS l(n, kind, message)
         ORDER BY m.at, l.n)
       INSERT INTO finished_jobs (key, org_id, id, type, queue, status, attempt, enqueue_seq, claim_token, run_at, created_at, started_at,
         finished_at, duration_ms, result, error_code, error_message)
       SELECT key, org, key::text, type, 'io', status, 1, 1, gen_random_uuid(), at - interval '2 s', at - interval '2 s', at - interval '1 s', at,
         1000, CASE WHEN status = 'done' THEN '{"message_id":"m-1"}'::json END, CASE WHEN status = 'failed' THEN 'handler_error' END,
         CASE WHEN status = 'failed' THEN 'the receiver answered 503' END
       FROM made`,
      [orgs, TYPES, from, count, Math.round(sinceMs), Math.round(untilMs)],
    );
  }
}
