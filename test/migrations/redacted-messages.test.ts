import { type OrgId, REDACTED } from '@jobline/contracts';
import { listMessages } from '@jobline/db';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';

const MESSAGES = 200;
/** So many payloads of 16 KiB are searched for a page. */
const SEARCHED = 100;
// The cast: ids are branded only in our code.
const ORG = '00000000-0000-7000-8000-000000000001' as OrgId;

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, run_at, created_at, updated_at, finished_at)
     SELECT ('00000000-0000-7000-8001-' || lpad(n::text, 12, '0'))::uuid, $1, 'job-' || n, 'custom', 'io', json_build_object('n', n, 'body', (
         SELECT string_agg(md5(n || '-' || i), ' ') FROM generate_series(1, 490) AS i)), 'done', 1, at, at, at, at
     FROM (SELECT n, now() - n * interval '1 s' AS at FROM generate_series(1, ${MESSAGES}) AS n) AS j`,
    [ORG],
  );
  await client.query(
    `INSERT INTO messages (id, org_id, channel, status, provider, recipient, body, called_at, created_at, updated_at, job_key)
     SELECT key, org_id, 'sms', 'sent', 'sandbox', '+254700000001', 'text', created_at, created_at, created_at, key FROM jobs`,
  );
  await client.query('INSERT INTO organizations (id, name) VALUES ($1, $2)', [ORG, 'Acme']);
  await redact(['to', 'card']);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

function redact(keys: string[]): Promise<unknown> {
  return client.query(
    `INSERT INTO organization_settings (org_id, redact_keys) VALUES ($1, $2)
     ON CONFLICT (org_id) DO UPDATE SET redact_keys = excluded.redact_keys`,
    [ORG, keys],
  );
}

async function recipients(limit: number): Promise<string[]> {
  return (await listMessages(database.db, ORG, 'sms', { limit })).items.map(({ recipient }) => recipient);
}

it('a page of messages searches a limited number of bytes, and shows those after them as redacted', async () => {
  expect((await recipients(50)).filter((recipient) => recipient === REDACTED)).toEqual([]);

  const shown = (await recipients(MESSAGES)).map((recipient) => recipient !== REDACTED);
  const searched = shown.indexOf(false);
  expect(searched).toBeGreaterThanOrEqual(SEARCHED);
  expect(searched).toBeLessThan(SEARCHED + 5);
  expect(shown.slice(searched)).not.toContain(true);
});

/** The shortest of several times in ms, which Postgres itself measures. */
async function searchMs(names: string[]): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 9; n++) {
    const { rows } = await client.query(
      'EXPLAIN (ANALYZE, FORMAT JSON) SELECT keys_to_redact(payload, $1) FROM submitted_jobs ORDER BY key LIMIT 20',
      [names],
    );
    times.push(rows[0]['QUERY PLAN'][0]['Execution Time']);
  }
  return Math.min(...times);
}

it('a search for fifty names costs little more than one for a single name', async () => {
  const names = Array.from({ length: 50 }, (_, n) => `name-${n}`);
  expect(await searchMs(names)).toBeLessThan(5 * (await searchMs(['name-0'])));
});

it.each([
  [{ to: 1 }, ['to'], ['to']],
  [{ a: [{ b: { to: 1 } }] }, ['to', 'from'], ['to']],
  [{ a: '"to":1,"to":2', 'x"to': 1, To: 1 }, ['to'], null],
  [{ card: 1, subject: 's' }, ['card', 'pin'], []],
  [{ card: 1, template: 't' }, ['card'], ['subject', 'body']],
  [{ template: 't' }, ['card', 'subject'], null],
  [{ 'a.b': 1 }, ['a.b'], []],
  [{ axb: 1 }, ['a.b'], null],
  [{ 'é"\\(]*': 1 }, ['é"\\(]*'], []],
  [{ 'tab\tline\n': 1 }, ['tab\tline\n', 'to'], []],
  [{ '\u0000': 1 }, ['card'], null],
  [{ to: 1 }, [], null],
])('a payload %j with the names %j to redact has the redacted keys %j', async (payload, names, expected) => {
  const { rows } = await client.query('SELECT keys_to_redact($1::json, $2) AS keys', [JSON.stringify(payload), names]);
  expect(rows[0].keys).toEqual(expected);
});
