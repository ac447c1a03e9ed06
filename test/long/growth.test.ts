import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, createHotDb, type Db } from '@jobline/db';
import { MIGRATIONS, migrate } from '@jobline/db/migrate';
import { type Server, startPostgres } from '@jobline/devstack';
import { createRollUp } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addOrgs, DAYS, fill } from '../growth/fill.js';
import { type Cost, createMeter, type Operation } from '../growth/measure.js';
import { operationsOn } from '../growth/operations.js';
import { growing, type Row, table, withTable } from '../growth/report.js';
import { until, withDatabase } from '../harness/index.js';

/** The numbers of finished jobs. 10M needs 20 GB of disk and half an hour: GROWTH_SIZES=10k,100k,1M,10M. */
const SIZES = (process.env.GROWTH_SIZES ?? '10k,100k,1M').split(',').map(sizeOf);
/** With GROWTH_WRITE=1 the table is written to this document. */
const DOCUMENT = new URL('../../docs/architecture/growth.md', import.meta.url);
const TEST_LIMIT_MS = 3 * 3_600_000;
const DAY_MS = 86_400_000;
const LAG_MS = 60_000;
/** Defaults but for the speed of filling. Vacuum runs before each measurement, and not during it. */
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  autovacuum: 'off',
  synchronous_commit: 'off',
  fsync: 'off',
  max_wal_size: '4GB',
};

let dir: string;
let postgres: Server;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-growth-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  postgres = await startPostgres({ dir, settings: SETTINGS });
});
afterAll(async () => {
  await postgres.remove();
  rmSync(dir, { recursive: true, force: true });
});

it(
  'an operation reads about as many pages with many finished jobs as with few',
  async () => {
    const measured: { operations: Operation<never>[]; costs: Cost[] }[] = [];
    for (const size of SIZES) measured.push(await measureSize(size));
    const operations = measured[0]?.operations ?? [];
    const rows: Row[] = operations.map((operation, n) => ({
      operation,
      costs: measured.flatMap(({ costs }) => costs[n] ?? []),
    }));

    const text = table(SIZES, rows);
    say(text);
    if (process.env.GROWTH_WRITE === '1') writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), text));
    expect(growing(rows)).toEqual([]);
  },
  TEST_LIMIT_MS,
);

/** Fills a database, measures each operation, and drops the database. */
async function measureSize(size: number) {
  const name = `growth_${size}`;
  await asAdmin(`CREATE DATABASE ${name}`);
  const url = withDatabase(postgres.url, name);
  await migrate(url, MIGRATIONS);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const options = { url, poolSize: 1, onIdleError: () => undefined };
  const [db, hot, meter] = [createDb(options), createHotDb(options), await createMeter(postgres.url, name)];
  try {
    const orgs = await addOrgs(client);
    const now = await clockOf(client);
    const sinceMs = now - DAYS * DAY_MS;
    say(`writing ${size.toLocaleString('en')} jobs`);
    await fill(client, orgs, { count: size, sinceMs, untilMs: now });
    await client.query('VACUUM ANALYZE');
    // The jobs of the time that this took, so that they reach the present.
    const later = await clockOf(client);
    const count = Math.round((size * (later - now)) / (DAYS * DAY_MS));
    await fill(client, orgs, { count, sinceMs: now, untilMs: later });
    await countAll(db);
    await client.query('VACUUM ANALYZE');

    const middle = await client.query(
      `SELECT f.id, f.created_at AS "createdAt", l.xid::text AS xid, l.id AS "logId"
       FROM finished_jobs f JOIN job_logs l ON l.job_key = f.key AND l.kind = 'started'
       WHERE f.org_id = $1 AND f.finished_at >= to_timestamp($2) ORDER BY f.finished_at LIMIT 1`,
      [orgs[0], (sinceMs + now) / 2_000],
    );
    const { xid, logId, ...job } = middle.rows[0];
    const operations = await operationsOn({
      db,
      hot,
      orgs,
      middle: { ...job, xid: BigInt(xid), logId: BigInt(logId) },
    });
    const costs: Cost[] = [];
    for (const operation of operations) {
      const cost = await meter.measure(operation);
      say(`  ${operation.what}: ${cost.pages} pages, ${cost.sqlMs.toFixed(2)} ms`);
      costs.push(cost);
    }
    return { operations, costs };
  } finally {
    await Promise.all([client.end(), db.$disconnect(), hot.close(), meter.end()]);
    await asAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

/** Counts the steps for the statistics, as a worker does. */
async function countAll(db: Db): Promise<void> {
  const id = newId();
  const task = createRollUp({ db, lease: { id: () => id } });
  await until('all steps to be counted', async () => {
    for (let n = 0; n < 100; n++) await task.round();
    const [row] = await db.$queryRaw<{ due: number }[]>`
      SELECT count(*)::int AS due FROM job_count_progress
      WHERE counted_until + (step_minutes * 60000 + ${LAG_MS}) * interval '1 ms' < now() - interval '5 s'`;
    return row?.due === 0;
  });
}

async function clockOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return rows[0]?.ms ?? Number.NaN;
}

async function asAdmin(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}

/** Reads `10k` or `1M`. */
function sizeOf(text: string): number {
  const [, digits, unit = ''] = /^(\d+)(k|M|)$/.exec(text.trim()) ?? [];
  if (!digits) throw new Error(`GROWTH_SIZES contains "${text}": write sizes such as 10k,1M`);
  return Number(digits) * { '': 1, k: 1_000, M: 1_000_000 }[unit as '' | 'k' | 'M']; // the pattern has no other unit
}

/** The test runner hides the output of tests that pass, so this writes to the terminal itself. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
