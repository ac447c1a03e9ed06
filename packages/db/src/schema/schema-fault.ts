import { existsSync } from 'node:fs';
import type { Db } from '../postgres/client.js';
import { MIGRATIONS, nextMigration, type RecordedMigration, readMigrations } from './migrate.js';

/**
 * What keeps this version from working with the database as it is, in a sentence; null if nothing does. What the
 * database has beyond that is a newer version's, and no fault; where the migrations are not beside the programs, nothing can
 * be told. Throws if Postgres cannot be asked.
 */
export async function schemaFault(db: Db, dir = MIGRATIONS): Promise<string | null> {
  if (!existsSync(dir)) return null;
  const migrations = await readMigrations(dir);
  const [found] = await db.$queryRaw<{ exists: boolean }[]>`
    SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`;
  const record = found?.exists
    ? await db.$queryRaw<RecordedMigration[]>`
        SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
        FROM _prisma_migrations WHERE rolled_back_at IS NULL`
    : [];
  try {
    const pending = nextMigration(migrations, record);
    return pending && `the database lacks the migration ${pending.name}: run \`node apps/api/dist/migrate-main.js\``;
  } catch (error) {
    // What the record itself shows to be wrong.
    return error instanceof Error ? error.message : String(error);
  }
}

/** How far this machine's clock is ahead of the database's, in milliseconds, and how far off that may be. */
export async function clockLead(db: Db): Promise<{ aheadMs: number; uncertainMs: number }> {
  await db.$queryRaw`SELECT 1`; // connecting takes long, and would blur it
  const askedAt = Date.now();
  const [row] = await db.$queryRaw<{ now_ms: number }[]>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`;
  const answeredAt = Date.now();
  if (!row) throw new Error('the database did not tell its time');
  return { aheadMs: (askedAt + answeredAt) / 2 - row.now_ms, uncertainMs: (answeredAt - askedAt) / 2 };
}

const UTC = /^(?:etc\/)?(?:utc|uct|gmt|universal|zulu)$/i;

/**
 * The time zone of the connections, if it is not UTC; else null. The driver drops the offset of a time, so each would be
 * off by the zone's, and a list whose cursor is off never ends. Only a pooler that drops what connections ask for lets
 * another zone be.
 */
export async function otherTimeZone(db: Db): Promise<string | null> {
  const [row] = await db.$queryRaw<{ zone: string }[]>`SELECT current_setting('TimeZone') AS zone`;
  return row && !UTC.test(row.zone) ? row.zone : null;
}
