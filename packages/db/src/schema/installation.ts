import { existsSync } from 'node:fs';
import type { Db, DbSession } from '../postgres/client.js';
import { MIGRATIONS, nextMigration, readMigrations, readRecord } from './migrate.js';

/** The id of the installation that this database belongs to. It stays the same in dumps and replicas. */
export async function getInstallationId(db: DbSession): Promise<string> {
  const { id } = await db.installation.findFirstOrThrow();
  return id;
}

/**
 * Whether events were written by transactions whose numbers this Postgres has not reached yet: then it was filled from
 * a dump of another one, which keeps the numbers. Readers of events would wait, and would later get old events as new
 * ones. Only the newest job and its organization's newest line are read, so the cost does not grow with the data.
 */
export async function isFromAnotherPostgres(db: Db): Promise<boolean> {
  const [row] = await db.$queryRaw<{ is_ahead: boolean | null }[]>`
    WITH newest AS (SELECT org_id, xid FROM submitted_jobs ORDER BY key DESC LIMIT 1)
    SELECT greatest(xid, (SELECT l.xid FROM job_logs l WHERE l.org_id = newest.org_id ORDER BY l.xid DESC, l.id DESC LIMIT 1))
      >= pg_snapshot_xmax(pg_current_snapshot()) AS is_ahead
    FROM newest`;
  return row?.is_ahead ?? false;
}

/**
 * A sentence that says why this version cannot work with the database; null if it can. Additional migrations belong to
 * a newer version and are accepted; if the migrations are not installed with the programs, nothing can be checked.
 * Throws if Postgres does not respond.
 */
export async function findSchemaProblem(db: Db, dir = MIGRATIONS): Promise<string | null> {
  if (!existsSync(dir)) return null;
  const migrations = await readMigrations(dir);
  const record = await readRecord((sql) => db.$queryRawUnsafe(sql));
  try {
    const pending = nextMigration(migrations, record ?? []);
    return pending && `the database lacks the migration ${pending.name}: run \`node apps/api/dist/migrate-main.js\``;
  } catch (error) {
    // The record itself shows the problem.
    return error instanceof Error ? error.message : String(error);
  }
}

/** How far this machine's clock is ahead of the database's, in milliseconds, and how uncertain that is. */
export async function clockLead(db: Db): Promise<{ aheadMs: number; uncertainMs: number }> {
  await db.$queryRaw`SELECT 1`; // connecting takes long, and would make the result imprecise
  const askedAt = Date.now();
  const [row] = await db.$queryRaw<{ now_ms: number }[]>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`;
  const answeredAt = Date.now();
  if (!row) throw new Error('the database did not return its time');
  return { aheadMs: (askedAt + answeredAt) / 2 - row.now_ms, uncertainMs: (answeredAt - askedAt) / 2 };
}

/** An operator may set a longer time for the role than the apps request. */
const MAX_SILENT_MS = 15_000;

const UTC = /^(?:etc\/)?(?:utc|uct|gmt|universal|zulu)$/i;

/**
 * The time zone of the connections, if it is not UTC; else null. The driver drops the offset of a time, so each time
 * would be wrong by the zone's offset, and a list with a wrong cursor never ends. Only a pooler that drops the settings
 * of connections causes that.
 */
export async function otherTimeZone(db: Db): Promise<string | null> {
  const [row] = await db.$queryRaw<{ zone: string }[]>`SELECT current_setting('TimeZone') AS zone`;
  return row && !UTC.test(row.zone) ? row.zone : null;
}

/**
 * The name of the setting of the connections that ends silent transactions, if it is missing; else null. Only a pooler that drops
 * the settings of connections, or a database URL with `options` of its own, causes that.
 */
export async function missingTimeLimit(db: Db): Promise<string | null> {
  const name = 'idle_in_transaction_session_timeout';
  const [row] = await db.$queryRaw<{ ms: number }[]>`
    SELECT setting::int AS ms FROM pg_settings WHERE name = ${name}`;
  return row && row.ms > 0 && row.ms <= MAX_SILENT_MS ? null : name;
}
