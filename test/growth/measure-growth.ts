import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, createHotDb, type Db } from '@jobline/db';
import { MIGRATIONS, migrate } from '@jobline/db/migrate';
import { startPostgres } from '@jobline/devstack';
import { createRollUp, indexNewEntries } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { until, withDatabase } from '../harness/index.js';
import { addOrgs, DAYS, fill } from './fill.js';
import { type Cost, createMeter, type Operation } from './measure.js';
import { operationsOn } from './operations.js';
import type { Row } from './report.js';

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

/** Prints a line of progress. */
type Say = (line: string) => void;

/** Measures each operation with each number of finished jobs, on a Postgres of its own. */
export async function measureGrowth(sizes: readonly number[], say: Say): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'jobline-growth-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  const postgres = await startPostgres({ dir, settings: SETTINGS });
  try {
    const measured: { operations: Operation<never>[]; costs: Cost[] }[] = [];
    for (const size of sizes) measured.push(await measureSize(postgres.url, size, say));
    const operations = measured[0]?.operations ?? [];
    return operations.map((operation, n) => ({ operation, costs: measured.flatMap(({ costs }) => costs[n] ?? []) }));
  } finally {
    await postgres.remove();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Fills a database, measures each operation, and drops the database. */
async function measureSize(postgresUrl: string, size: number, say: Say) {
  const name = `growth_${size}`;
  await asAdmin(postgresUrl, `CREATE DATABASE ${name}`);
  const url = withDatabase(postgresUrl, name);
  await migrate(url, MIGRATIONS);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const options = { url, poolSize: 1, onIdleError: () => undefined };
  const [db, hot, meter] = [createDb(options), createHotDb(options), await createMeter(postgresUrl, name)];
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
    // Searches are those of the first organization.
    while (await indexNewEntries(db, orgs[0]));
    await client.query('VACUUM ANALYZE');

    const middle = await client.query(
      `SELECT f.id, f.created_at AS "createdAt", l.xid::text AS xid, l.id AS "logId", s.payload->>'to' AS recipient
       FROM finished_jobs f JOIN job_logs l ON l.job_key = f.key AND l.kind = 'started' JOIN submitted_jobs s ON s.key = f.key
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
    await asAdmin(postgresUrl, `DROP DATABASE ${name} WITH (FORCE)`);
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

async function asAdmin(postgresUrl: string, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}
