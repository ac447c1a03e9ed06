import { createHash } from 'node:crypto';
import type { OrgId } from '@jobline/contracts';
import {
  type Db,
  deleteLimit,
  listLimits,
  listOrderedHeads,
  listRates,
  listWaitingKeys,
  readLimitState,
  saveLimit,
  saveRates,
} from '@jobline/db';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { pagesOf, rowsOf, statementsOf } from './explain.js';

const LIMITS = 100;
const TYPES = 50;
const LANES = 20_000;
const SCHEDULED = 30_000;
/** More waiting jobs than a list of limits counts. */
const DUE = 120_000;
const COUNTED = 110_000;
/** The limits for a statement that needs a few rows; pages have 8 kB. */
const FEW_PAGES = 60;
const FEW_ROWS = 500;
// The casts: ids are branded only in our code.
const org = (n: number) => `00000000-0000-7000-8000-00000000000${n}` as OrgId;
const [full, idle, ofKey, ofTypes, ofScheduled] = [org(1), org(5), org(2), org(3), org(4)];
/** Types of 128 characters, which Postgres cannot compress. */
const typeSql = (n: string) =>
  `(SELECT string_agg(md5(${n} || '-' || i), '' ORDER BY i) FROM generate_series(1, 4) AS i)`;
const typeOf = (n: number) => [1, 2, 3, 4].map((i) => createHash('md5').update(`${n}-${i}`).digest('hex')).join('');

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: '-c random_page_cost=1.1 -c jit=off' });
  await client.connect();
  await client.query(`INSERT INTO organizations (id, name) SELECT unnest($1::uuid[]), 'Acme'`, [
    [full, idle, ofKey, ofTypes, ofScheduled],
  ]);
  await client.query(
    `INSERT INTO limits (org_id, name, types, concurrency, per, ordered, paused)
     SELECT o, 'l' || l, ARRAY(SELECT ${typeSql('n')} FROM generate_series(l * ${TYPES}, (l + 1) * ${TYPES} - 1) AS n), 1,
       'organization', false, false FROM generate_series(0, ${LIMITS} - 1) AS l, unnest($1::uuid[]) AS o`,
    [[full, idle]],
  );
  await addLimit(ofKey, '{}');
  await addLimit(ofTypes, `{${Array.from({ length: TYPES }, (_, n) => `many ${n}`).join()}}`);
  await addLimit(ofScheduled, '{light}');
  // Jobs of one key with a type each, and the same with a key each.
  await fill(ofKey, { count: LANES, place: 'held', type: `'type ' || n`, limit: "'one'", key: "'same'" });
  await fill(ofTypes, {
    count: LANES,
    place: 'held',
    type: `'many ' || n % ${TYPES}`,
    limit: 'NULL',
    key: "'key ' || n",
  });
  await fill(ofScheduled, { count: SCHEDULED, place: 'scheduled', type: `'light'`, limit: "'one'", key: 'NULL' });
  await client.query(
    `INSERT INTO live_jobs (key, org_id, id, type, queue, status, place, run_at, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'job ' || n, t.type, 'io', 'pending', 'waiting', now(), now(), now()
     FROM (SELECT ${typeSql('m')} AS type FROM generate_series(0, 3999) AS m) AS t,
       generate_series(1, ${DUE / 4_000}) AS n`,
    [full],
  );
  await client.query('VACUUM limit_lanes, live_jobs, limits, limit_types');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

function addLimit(orgId: OrgId, types: string): Promise<unknown> {
  return client.query(
    `INSERT INTO limits (org_id, name, types, concurrency, per, ordered, paused) VALUES ($1, 'one', $2, 1, 'key', true, false)`,
    [orgId, types],
  );
}

interface Filling {
  count: number;
  place: string;
  type: string;
  limit: string;
  key: string;
}

async function fill(orgId: OrgId, { count, place, type, limit, key }: Filling): Promise<void> {
  const at = `now() + ${place === 'scheduled' ? "interval '1 d'" : "interval '-1 h'"} + n * interval '1 ms'`;
  await client.query(
    `INSERT INTO jobs (key, org_id, id, type, queue, payload, status, place, run_at, created_at, updated_at, limit_name, limit_key)
     SELECT ('00000000-000${orgId.slice(-1)}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '${orgId}', 'job ' || n, ${type}, 'io',
       '{}', 'pending', '${place}', ${at}, now() - interval '1 h' + n * interval '1 ms', now(), ${limit}, ${key}
     FROM generate_series(1, ${count}) AS n`,
  );
}

async function sum(measure: typeof pagesOf, send: (db: Db) => Promise<unknown>): Promise<number> {
  let all = 0;
  for (const statement of await statementsOf(send)) all += await measure(client, statement);
  return all;
}

describe.each(['before', 'after'])('%s an ANALYZE,', (when) => {
  beforeAll(async () => {
    if (when === 'after') await client.query('ANALYZE live_jobs, limit_lanes, limits, limit_types');
  });

  it('a list of 100 limits of 50 types reads each type and each job that it counts once', async () => {
    expect(await sum(rowsOf, (db) => listLimits(db, idle))).toBeLessThan(40 * LIMITS * TYPES);
    expect(await sum(rowsOf, (db) => listLimits(db, full))).toBeLessThan(40 * LIMITS * TYPES + 3 * COUNTED);
  });

  it('a list of limits reads no scheduled job', async () => {
    expect(await sum(pagesOf, (db) => listLimits(db, ofScheduled))).toBeLessThan(FEW_PAGES);
    expect(await sum(rowsOf, (db) => listLimits(db, ofScheduled))).toBeLessThan(FEW_ROWS);
  });

  it('the engine reads the types that its jobs have, and not all that are listed', async () => {
    const jobs = [0, 1, 2, 3].map((n) => ({ orgId: full, type: typeOf(n) }));
    expect(await sum(rowsOf, (db) => readLimitState(db, [full], jobs))).toBeLessThan(10 * LIMITS);
    const { rules } = await readLimitState(database.db, [full], jobs);
    expect(rules).toHaveLength(LIMITS);
    expect(rules.flatMap(({ types }) => types).sort()).toEqual(jobs.map(({ type }) => type).sort());
  });

  it('whether a job is under a limit is found in a few pages', async () => {
    const statement = {
      text: 'SELECT under_limit($1, NULL, $2), under_ordered_limit($1, NULL, $2)',
      values: [full, 'none'],
    };
    await pagesOf(client, statement); // The first call of a session reads the catalog.
    expect(await pagesOf(client, statement)).toBeLessThan(FEW_PAGES);
  });

  it('the first job of a key is found in a few pages, however many types the jobs of the key have', async () => {
    const first = (orgId: OrgId, limitKey: string) => (db: Db) =>
      listOrderedHeads(db, [{ orgId, name: 'one', limitKey }]);
    expect(await sum(pagesOf, first(ofKey, 'same'))).toBeLessThan(FEW_PAGES);
    expect(await sum(rowsOf, first(ofKey, 'same'))).toBeLessThan(FEW_ROWS);
    expect(await sum(rowsOf, first(ofTypes, 'key 7'))).toBeLessThan(FEW_ROWS);
  });

  it('the keys that have waited longest are found without reading every lane', async () => {
    expect(await sum(rowsOf, (db) => listWaitingKeys(db, ofKey, 'one', 20))).toBeLessThan(LANES / 2);
    expect(await sum(rowsOf, (db) => listWaitingKeys(db, ofTypes, 'one', 20))).toBeLessThan(4 * LANES);
  });
});

it('what a list of limits shows is right, and of very many jobs it counts some of each type', async () => {
  const limits = await listLimits(database.db, full);
  expect(limits).toHaveLength(LIMITS);
  const [first, last] = [limits[0], limits.at(-1)];
  // Each of the 4,000 types has 30 waiting jobs, of which 12 are counted.
  expect(first).toMatchObject({ name: 'l0', waiting: 600, running: 0 });
  expect(last).toMatchObject({ name: 'l99', waiting: 0, running: 0 });
  expect(await listLimits(database.db, ofKey)).toMatchObject([{ waiting: LANES, running: 0 }]);
  expect(await listLimits(database.db, ofTypes, 'one')).toMatchObject([{ waiting: LANES, running: 0 }]);
  expect(await listLimits(database.db, ofScheduled)).toMatchObject([{ waiting: 0, running: 0 }]);
});

it('the longest-waiting keys are shown, of a limit that jobs name and of one that lists their types', async () => {
  expect((await listWaitingKeys(database.db, ofKey, 'one', 20)).map(({ key }) => key)).toEqual(['same']);
  const keys = await listWaitingKeys(database.db, ofTypes, 'one', 20);
  expect(keys.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, n) => `key ${n + 1}`));
});

it('the head of a key is its job that was accepted first, by name or by type', async () => {
  const of = [
    { orgId: ofKey, name: 'one', limitKey: 'same' },
    { orgId: ofTypes, name: 'one', limitKey: 'key 7' },
    { orgId: ofTypes, name: 'one', limitKey: 'none' },
  ];
  expect(
    (await listOrderedHeads(database.db, of)).map(({ limitKey, key }) => [
      limitKey,
      Number.parseInt(key.slice(-8), 16),
    ]),
  ).toEqual([
    ['same', 1],
    ['key 7', 7],
  ]);
});

it('a limit that is deleted, or loses its rate, forgets how far its rate was used up', async () => {
  const limit = {
    types: [],
    concurrency: 1,
    perSecond: 1,
    burst: 1,
    per: 'organization' as const,
    ordered: false,
    paused: false,
    hold: null,
  };
  const used = async (name: string) => (await listRates(database.db, [{ orgId: full, name, limitKey: '' }])).length;
  for (const name of ['l0', 'l1', 'l2']) {
    await saveLimit(database.db, full, { name, ...limit });
    await saveRates(database.db, [{ orgId: full, name, limitKey: '', nextAtMs: Date.now() + 1_000_000 }]);
  }
  await deleteLimit(database.db, full, 'l0');
  await saveLimit(database.db, full, { name: 'l1', ...limit, perSecond: null, burst: null });
  await saveLimit(database.db, full, { name: 'l2', ...limit, perSecond: 2 });

  expect([await used('l0'), await used('l1'), await used('l2')]).toEqual([0, 0, 1]);
});
