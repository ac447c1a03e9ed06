import { LIMITS, MAX_PENDING_INVITES, QUOTAS, REDACT_LIMITS, SCOPES } from '@jobline/contracts';
import type pg from 'pg';

/** How much the full organization has of what no quota limits. */
export const AMOUNTS = {
  /** Jobs that finished in the last 20 hours. A sixth of them failed, a third sent an email. */
  finishedJobs: 60_000,
  /** Jobs of one type that wait under an ordered limit, each with a key of its own. */
  waitingKeys: 20_000,
  /** Jobs with one key that wait under an ordered limit, each with a type of its own. */
  waitingTypes: 20_000,
  /** Each webhook has as many of them. */
  deliveries: 100_000,
  messages: 20_000,
  files: 20_000,
  /** The first of them have 1 MiB. */
  fullFiles: 10,
  members: 1_000,
  suppressions: 10_000,
  auditEntries: 20_000,
  alerts: 20_000,
  /** Bulk actions that have ended. */
  endedBulks: 1_000,
  /** Batches of the index of searches before those of its jobs, and words in them. */
  searchBatches: 10_000,
  searchWords: 300_000,
  /** Log lines of 8 KiB of one job. */
  logLines: 3_000,
} as const;

/** The same of every job, so that a filter by them reads as many candidates as possible. */
export const TAGS = ['a', 'b', 'c', 'd', 'e'];
export const CUSTOMER = 'customer-1';
/** The key of the jobs that have different types. */
export const ONE_KEY = 'k';
/** Names of 128 characters that differ at their end. */
const name = (sql: string) => `lpad((${sql})::text, 128, 'x')`;
export const typeName = (n: number) => String(n).padStart(LIMITS.nameLength, 'x');
export const REDACTED = Array.from({ length: REDACT_LIMITS.keys }, (_, n) => `secret${n}`.padStart(128, 'x'));
/** The ids of its rows in the order of their numbers. The first character says of which kind they are. */
export const idOf = (kind: keyof typeof KINDS, n: number) =>
  `${KINDS[kind]}${n.toString(16).padStart(7, '0')}-0000-7000-8000-000000000000`;
const KINDS = {
  webhook: '1',
  delivery: '2',
  event: '3',
  schedule: '4',
  template: '5',
  apiKey: '6',
  message: '7',
  user: '8',
  domain: '9',
  senderId: 'a',
  suppression: 'b',
  bulk: 'c',
  invite: 'd',
  file: 'e',
  erasure: 'f',
} as const;
const id = (kind: keyof typeof KINDS, sql: string) =>
  `('${KINDS[kind]}' || lpad(to_hex(${sql}), 7, '0') || '-0000-7000-8000-000000000000')::uuid`;

/** The ids of the schedule that made the finished jobs, and of the jobs with much of something. */
export const FULL_SCHEDULE = idOf('schedule', 0);
export const LONG_JOB = 'done-0';
/** The job that all finished jobs name in `after`. */
export const AWAITED = 'done-2';

const types = `(SELECT array_agg(${name('50 * n + t')}) FROM generate_series(0, 49) AS t)`;
/** A UUID v7 of a time. */
const key = (at: string, n: string) =>
  `(lpad(to_hex(floor(extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(${n} % 4096), 3, '0') || '8'
    || substr(md5(${n} || 'key'), 1, 15))::uuid`;
const tags = `'{${TAGS.join(',')}}'::text[]`;

/** Jobs of one statement, and so of one transaction. */
const PAGE = 2_500;

/** The limit, the type and the key of the nth job of each kind that waits. */
const WAITING = {
  keys: { limit: 'ordered-keys', type: `'ordered.keys'`, key: `'customer-' || n`, count: AMOUNTS.waitingKeys },
  types: { limit: 'ordered-types', type: name('n'), key: `'${ONE_KEY}'`, count: AMOUNTS.waitingTypes },
} as const;

/** Fills an organization up to all of its quotas. `userId`: its owner. Everything exists since some hours. */
export async function fillOrganization(
  client: pg.Client,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<void> {
  // The constraints and triggers of the schema stay.
  await client.query(`SET synchronous_commit = off`);
  const run = (text: string) => client.query(text.replaceAll('$org', `'${orgId}'::uuid`));
  const series = (count: number) => `generate_series(0, ${count - 1}) AS n`;
  const ago = (n: string) => `date_trunc('milliseconds', now()) - interval '20 h' + (${n}) * interval '1 s'`;

  // One limit has no type of a job, and all of them have 50.
  await run(`INSERT INTO limits (org_id, name, types, concurrency, per, ordered, paused)
    SELECT $org, CASE n WHEN 0 THEN '${WAITING.keys.limit}' WHEN 1 THEN '${WAITING.types.limit}' ELSE 'limit-' || n END, ${types}, 1,
      CASE WHEN n < 2 THEN 'key' ELSE 'organization' END::limit_scope, n < 2, n < 2 FROM ${series(QUOTAS.limits)}`);
  await fillJobs(run);
  await run(`INSERT INTO organization_settings (org_id, redact_keys, redact_after_days) VALUES ($org, ARRAY['${REDACTED.join("','")}'], 0)
    ON CONFLICT (org_id) DO UPDATE SET redact_keys = excluded.redact_keys`);
  await run(`INSERT INTO schedules (id, org_id, name, cron, last_job_id, timezone, anchor_at, type, payload, payload_bytes, max_retries, priority, tags,
      overlap, missed, enabled, next_run_at, created_at)
    SELECT ${id('schedule', 'n')}, $org, 'schedule-' || n, n % 60 || ' ' || n / 60 % 24 || ' 1 1 *', 'done-' || n, 'UTC', now(), ${name('n')}, json_build_object('text', repeat('x', 16000)), 16011,
      0, 0, ${tags}, 'skip', 'run_once', true, now() + interval '300 d', ${ago('n')} FROM ${series(QUOTAS.schedules)}`);
  await run(`INSERT INTO templates (id, org_id, name, kind, subject, body, sample, variables, created_at)
    SELECT ${id('template', 'n')}, $org, 'template-' || n, 'email', '{{ name }}', '{{ name }}' || repeat('x', 500000),
      json_build_object('text', repeat('x', 65000)),
      (SELECT array_agg(${name('v')}) FROM generate_series(1, 120) AS v), ${ago('n')} FROM ${series(QUOTAS.templates)}`);
  await run(`INSERT INTO api_keys (id, org_id, name, prefix, hash, created_by, scopes, types, created_at)
    SELECT ${id('apiKey', 'n')}, $org, ${name('n')}, 'jl_' || n, sha256(n::text::bytea), '${userId}', '{${SCOPES.join(',')}}',
      (SELECT array_agg(${name('t')}) FROM generate_series(0, 49) AS t), ${ago('n')}
    FROM generate_series(0, ${QUOTAS.api_keys - 1} - (SELECT count(*) FROM api_keys WHERE org_id = $org)) AS n`);
  await fillPeople(run);
  await fillMessages(run);
  await fillEvents(run);
  await fillBulks(run);
  await fillSearch(run);
  await run(`INSERT INTO files (id, org_id, name, content_type, size, sha256, parts, is_in_store, created_at, expires_at)
    SELECT ${id('file', 'n')}, $org, 'file-' || n, 'text/plain', (n < ${AMOUNTS.fullFiles})::int * 1048576, sha256('a'),
      (n < ${AMOUNTS.fullFiles})::int, false, ${ago('n')}, now() + interval '5 d' FROM ${series(AMOUNTS.files)}`);
  await run(`INSERT INTO file_parts (file_id, n, bytes)
    SELECT ${id('file', 'n')}, 0, decode(repeat('61', 1048576), 'hex') FROM ${series(AMOUNTS.fullFiles)}`);
  await run('ANALYZE');

  async function fillPeople(run: Run): Promise<void> {
    await run(`INSERT INTO users (id, email, password_hash) SELECT ${id('user', 'n')}, 'member-' || n || '@example.com', ''
      FROM ${series(AMOUNTS.members)}`);
    await run(`INSERT INTO memberships (org_id, user_id, role, joined_at) SELECT $org, ${id('user', 'n')}, 'member', ${ago('n')}
      FROM ${series(AMOUNTS.members)}`);
    await run(`INSERT INTO invites (id, org_id, email, role, token_hash, invited_by, created_at, expires_at)
      SELECT ${id('invite', 'n')}, $org, 'invited-' || n || '@example.com', 'member', sha256(('invite' || n)::bytea), '${userId}', ${ago('n')},
        now() + interval '2 d' FROM ${series(MAX_PENDING_INVITES)}`);
    await run(`INSERT INTO audit_entries (id, org_id, at, action, actor_id, actor_email, target_id, target_name)
      SELECT gen_random_uuid(), $org, ${ago('n')}, 'api_key.created', '${userId}', 'owner@example.com', gen_random_uuid(), ${name('n')}
      FROM ${series(AMOUNTS.auditEntries)}`);
    await run(`INSERT INTO alerts (id, org_id, kind, threshold, value, raised_at, resolved_at, is_mail_due)
      SELECT gen_random_uuid(), $org, 'failure_rate', 50, 60, ${ago('n')}, now(), false FROM ${series(AMOUNTS.alerts)}`);
  }

  async function fillMessages(run: Run): Promise<void> {
    await run(`INSERT INTO domains (id, org_id, domain, token, verified_at, created_at)
      SELECT ${id('domain', 'n')}, $org, 'mail-' || n || '.example', md5(n::text), now(), ${ago('n')} FROM ${series(QUOTAS.domains)}`);
    await run(`INSERT INTO sender_ids (id, org_id, sender_id, created_at)
      SELECT ${id('senderId', 'n')}, $org, 'SENDER' || n, ${ago('n')} FROM ${series(QUOTAS.sender_ids)}`);
    await run(`INSERT INTO suppressions (id, org_id, address, reason, message_id, created_at)
      SELECT ${id('suppression', 'n')}, $org, 'bounced-' || n || '@example.com', 'bounce', gen_random_uuid(), ${ago('n')}
      FROM ${series(AMOUNTS.suppressions)}`);
    // Those of the jobs that send emails, newest first.
    await run(`INSERT INTO messages (id, org_id, channel, status, provider, provider_message_id, recipient, sender, subject, body, job_key,
        called_at, sent_at, created_at, updated_at)
      SELECT ${id('message', 'n')}, $org, 'email', 'delivered', 'sandbox', 'sandbox-' || n, 'ada@example.com', 'me@example.com',
        repeat('s', 998), repeat(md5(n::text), 468), s.key, s.at, s.at, s.at, s.at
      FROM (SELECT key, created_at AS at, row_number() OVER (ORDER BY created_at) AS n FROM finished_jobs
        WHERE org_id = $org AND type = 'send_email' ORDER BY created_at LIMIT ${AMOUNTS.messages}) AS s`);
    await run(`INSERT INTO messages (id, org_id, channel, status, provider, recipient, body, segments, called_at, sent_at, created_at, updated_at)
      SELECT gen_random_uuid(), $org, c.channel, 'delivered', 'sandbox', '+254711000111', repeat('m', 16000), 100, now(), now(), ${ago('n')}, now()
      FROM ${series(2_000)}, unnest('{sms,chat}'::message_channel[]) AS c(channel)`);
    await run(`INSERT INTO message_events (provider, event_id, message_id, kind, status, reason, received_at)
      SELECT 'sandbox', 'event-' || n, ${id('message', `${AMOUNTS.messages}`)}, 'delivered', 'delivered', repeat('r', 1000), now()
      FROM ${series(1_000)}`);
  }

  async function fillEvents(run: Run): Promise<void> {
    const perWebhook = AMOUNTS.deliveries / QUOTAS.webhooks;
    await run(`INSERT INTO secrets (id, org_id, name, secret, hosts, created_at)
      SELECT gen_random_uuid(), $org, 'secret-' || n, repeat('s', 4096), array_fill('receiver.example'::text, '{20}'), ${ago('n')}
      FROM ${series(QUOTAS.secrets)}`);
    await run(`INSERT INTO webhooks (id, org_id, url, events, enabled, created_at)
      SELECT ${id('webhook', 'n')}, $org, 'https://receiver-' || n || '.example/' || repeat('p', 2000), '{*}', true, ${ago('n')}
      FROM ${series(QUOTAS.webhooks)}`);
    await run(`INSERT INTO webhook_secrets (id, org_id, secret, webhook_id)
      SELECT gen_random_uuid(), $org, 'whsec_' || n, ${id('webhook', 'n')} FROM ${series(QUOTAS.webhooks)}`);
    await run(`INSERT INTO webhook_events (id, org_id, type, data, is_planned, created_at)
      SELECT ${id('event', 'n')}, $org, 'job.done', json_build_object('id', 'done-' || n, 'tags', ${tags}), true, ${ago('n')}
      FROM ${series(perWebhook)}`);
    // Each event goes to every webhook.
    await run(`INSERT INTO webhook_deliveries (id, org_id, event_id, webhook_id, status, attempts, attempts_left, last_status, last_error, created_at)
      SELECT ${id('delivery', 'n')}, $org, ${id('event', `n % ${perWebhook}`)}, ${id('webhook', `n / ${perWebhook}`)},
        'failed', 8, 0, 503, repeat('e', 200), ${ago(`n % ${perWebhook}`)} FROM ${series(AMOUNTS.deliveries)}`);
    await run(`INSERT INTO webhook_tries (delivery_id, n, at, status, error, answer, ms)
      SELECT ${id('delivery', 'n')}, 1, now(), 503, 'the receiver answered 503', 'no', 10 FROM ${series(perWebhook)}`);
    await run(`INSERT INTO webhook_tries (delivery_id, n, at, status, error, answer, ms)
      SELECT ${id('delivery', '0')}, 2 + n, now(), 503, repeat('e', 200), repeat('a', 1024), 10 FROM ${series(1_000)}`);
    // As many to the callback URL of a job as a webhook has.
    await run(`INSERT INTO webhook_deliveries (id, org_id, event_id, job_key, callback_url, status, attempts_left, created_at)
      SELECT gen_random_uuid(), $org, ${id('event', 'n')}, (SELECT key FROM finished_jobs WHERE org_id = $org AND id = '${LONG_JOB}'),
        'https://callback.example/', 'failed', 0, ${ago('n')} FROM ${series(1_000)}`);
  }

  /** Those that run have their parts, and all were about ids. */
  async function fillBulks(run: Run): Promise<void> {
    const bulk = (columns: string, from: string) =>
      run(`INSERT INTO bulk_actions (id, org_id, action, filter, status, total, next_at, created_at, finished_at)
        SELECT ${columns}, (SELECT json_build_object('ids', array_agg(${name('i')})) FROM generate_series(1, 1000) AS i), ${from}`);
    const running = QUOTAS.bulk_actions;
    await bulk(
      `${id('bulk', 'n')}, $org, 'cancel'::bulk_kind`,
      `'running'::bulk_status, 100000, now() + interval '300 d', ${ago('n')}, NULL::timestamptz FROM ${series(running)}`,
    );
    await bulk(
      `gen_random_uuid(), $org, 'cancel'::bulk_kind`,
      `'done'::bulk_status, 1000, NULL::timestamptz, ${ago('n')}, now() FROM ${series(AMOUNTS.endedBulks)}`,
    );
    await run(`INSERT INTO bulk_parts (bulk_id, n, keys)
      SELECT ${id('bulk', 'b')}, p, (SELECT array_agg(gen_random_uuid()) FROM generate_series(1, 1000))
      FROM generate_series(0, ${running - 1}) AS b, generate_series(0, 99) AS p`);
  }
}

/**
 * The index of searches: that of its jobs, two words that most of ten million jobs would have, and many words with the same beginning.
 */
async function fillSearch(run: (text: string) => Promise<unknown>): Promise<void> {
  await run(`INSERT INTO search_entries (org_id, batch, n, kind, key)
    SELECT $org, ${AMOUNTS.searchBatches} + n / 1024, n % 1024, 'job', key
    FROM (SELECT key, row_number() OVER (ORDER BY key)::int - 1 AS n FROM finished_jobs WHERE org_id = $org) AS f`);
  await run(
    `INSERT INTO search_positions (org_id, xid, batch, n) SELECT $org, pg_current_xact_id(), max(batch) + 1, 0 FROM search_entries`,
  );
  await run(`INSERT INTO search_postings (org_id, word, batch, bits)
    SELECT $org, word, batch, repeat(CASE WHEN word = 'even' THEN '10' ELSE '01' END, 512)::bit(1024)
    FROM generate_series(0, (SELECT max(batch) FROM search_entries WHERE org_id = $org)) AS batch, unnest('{even,odd}'::text[]) AS word`);
  await run(`INSERT INTO search_postings (org_id, word, batch, bits)
    SELECT $org, word, batch, repeat('1', 1024)::bit(1024)
    FROM (SELECT DISTINCT batch FROM search_entries WHERE org_id = $org) AS b, unnest('{done,ada,example,com,a,b,c,customer}'::text[]) AS word`);
  await run(`INSERT INTO search_postings (org_id, word, batch, n)
    SELECT $org, 'xx' || md5(n::text), n % ${AMOUNTS.searchBatches}, n % 1024 FROM generate_series(1, ${AMOUNTS.searchWords}) AS n`);
}

type Run = (text: string) => Promise<unknown>;

async function fillJobs(run: Run): Promise<void> {
  const failure = `'the receiver answered 503 for order ' || n || ' of ' || md5(n::text)`;
  for (let from = 0; from < AMOUNTS.finishedJobs; from += PAGE) {
    const at = `date_trunc('milliseconds', now()) - interval '20 h' + n * interval '1 s'`;
    await run(`WITH made AS MATERIALIZED (
        SELECT n, ${at} AS at, ${key(at, 'n')} AS key, 'done-' || n AS id,
          CASE WHEN n % 3 = 0 THEN 'send_email' ELSE ${name('n % 5000')} END AS type,
          CASE WHEN n % 6 = 1 THEN 'failed' ELSE 'done' END::job_status AS status
        FROM generate_series(${from}, ${from + PAGE - 1}) AS n),
      submitted AS (
        INSERT INTO submitted_jobs (key, org_id, id, type, payload, max_retries, created_at, tags, limit_key, schedule_id)
        SELECT key, $org, id, type,
          json_build_object('to', 'ada@example.com', 'text', repeat(md5(n::text), CASE WHEN n >= ${AMOUNTS.finishedJobs - 6_000} THEN 468 ELSE 1 END)),
          100, at, ${tags}, '${CUSTOMER}', '${FULL_SCHEDULE}' FROM made),
      lines AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms)
        SELECT key, $org, 1, l.kind::log_kind, 'info', NULL, at, l.status::job_status, l.ms
        FROM made, (VALUES ('started', 'processing', NULL), ('succeeded', 'done', 10)) AS l(kind, status, ms))
      INSERT INTO finished_jobs (key, org_id, id, type, queue, status, max_retries, attempt, enqueue_seq, run_at, created_at, started_at,
        finished_at, duration_ms, result, error_code, error_message, tags, limit_key)
      SELECT key, $org, id, type, 'io', status, 100, 1, 1, at, at, at, at, 10, '{}', CASE WHEN status = 'failed' THEN 'handler_error' END,
        CASE WHEN status = 'failed' THEN ${failure} END, ${tags}, '${CUSTOMER}' FROM made`);
  }
  for (const { limit, type, key: limitKey, count } of Object.values(WAITING)) {
    for (let from = 0; from < count; from += PAGE) {
      const at = `date_trunc('milliseconds', now()) - interval '2 h' + n * interval '10 ms'`;
      await run(`WITH made AS MATERIALIZED (
          SELECT n, ${at} AS at, ${key(at, `n`)} AS key, '${limit}-' || n AS id, ${type} AS type, ${limitKey} AS limit_key
          FROM generate_series(${from}, ${from + PAGE - 1}) AS n),
        submitted AS (
          INSERT INTO submitted_jobs (key, org_id, id, type, payload, max_retries, created_at, tags, limit_key, limit_name)
          SELECT key, $org, id, type, '{}', 100, at, ${tags}, limit_key, '${limit}' FROM made)
        INSERT INTO live_jobs (key, org_id, id, type, queue, status, max_retries, run_at, place, created_at, updated_at, tags, limit_key, limit_name)
        SELECT key, $org, id, type, 'io', 'pending', 100, at, 'held', at, at, ${tags}, limit_key, '${limit}' FROM made`);
    }
  }
  // Every finished job has waited for one of them, and one job for as many as a job can wait for.
  await run(`INSERT INTO job_conditions (job_key, n, org_id, after_key, after_id, until, state, refers, created_at, id)
    SELECT s.key, 0, $org, a.key, a.id, 'ended', 'met', false, s.created_at, s.id
    FROM submitted_jobs s, submitted_jobs a WHERE s.org_id = $org AND s.id LIKE 'done-%' AND a.org_id = $org AND a.id = '${AWAITED}'`);
  await run(`INSERT INTO job_conditions (job_key, n, org_id, after_key, after_id, until, state, refers, created_at, id)
    SELECT s.key, n, $org, a.key, a.id, 'ended', 'met', false, s.created_at, s.id
    FROM generate_series(1, ${LIMITS.after - 1}) AS n
    JOIN submitted_jobs a ON a.org_id = $org AND a.id = 'done-' || n + 2 JOIN submitted_jobs s ON s.org_id = $org AND s.id = 'done-1'`);
  // One job with as much of everything as a job can have.
  const job = `(SELECT key FROM submitted_jobs WHERE org_id = $org AND id = '${LONG_JOB}')`;
  await run(`INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at)
    SELECT ${job}, $org, 1, 'log', 'info', repeat('l', ${LIMITS.logLineBytes}), now() FROM generate_series(1, ${AMOUNTS.logLines})`);
  await run(`INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, duration_ms, error_code)
    SELECT ${job}, $org, n, k.kind::log_kind, 'error', repeat('f', 1000), now(), k.ms, k.code
    FROM generate_series(2, 2000) AS n, (VALUES ('started', NULL, NULL), ('failed', 10, 'handler_error')) AS k(kind, ms, code)`);
  await run(`INSERT INTO artifacts (job_key, name, content_type, size, sha256, bytes)
    SELECT ${job}, 'file-' || n, 'text/plain', 1048576, sha256('a'), decode(repeat('61', 1048576), 'hex') FROM generate_series(0, 99) AS n`);
  // A result and a payload of 1 MiB of a job that no other row is about.
  await run(`UPDATE finished_jobs SET result = json_build_object('values', (SELECT array_agg(n) FROM generate_series(1, 140000) AS n))
    WHERE org_id = $org AND id = '${LONG_JOB}'`);
  await run(`UPDATE submitted_jobs SET payload = json_build_object('values', (SELECT array_agg(n) FROM generate_series(1, 140000) AS n))
    WHERE org_id = $org AND id = '${LONG_JOB}'`);
}
