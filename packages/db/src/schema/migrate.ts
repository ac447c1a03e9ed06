import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { beginSchemaChange, openClient } from '../postgres/pg-client.js';
import { buildConcurrently, concurrentIndexOf } from './concurrent-index.js';

export { countSessions, emptyDatabase, type Restored, settleAfterRestore } from './after-restore.js';
export { type AppRole, grantToApps } from './app-role.js';
export { loadBackup, readBackup, writeBackup } from './backup.js';
export { concurrentIndexOf };

/** The migrations of this version. The relative path is the same from the source file and from the compiled file. */
export const MIGRATIONS = fileURLToPath(new URL('../../../../prisma/migrations', import.meta.url));

/**
 * Applies the migrations of the folder that the database does not have yet, in order, and returns their names.
 *
 * - Each is applied completely or not at all, and once, however many processes call this at the same time: in the
 *   transaction that records it.
 * - A migration that is a single CREATE or DROP INDEX CONCURRENTLY cannot run inside a transaction: it runs on another
 *   connection and is recorded once it is done. After an interruption, the next run repairs what is left.
 * - No lock or setting outlives a transaction, so it works behind a transaction pooler.
 * - The record is Prisma's own: `prisma migrate deploy` and this function may be used in turns.
 * - A missing database is created, as `prisma migrate deploy` does.
 * - `only`: it applies no others.
 */
export async function migrate(
  databaseUrl: string,
  migrationsDir = MIGRATIONS,
  only?: ReadonlySet<string>,
): Promise<string[]> {
  const migrations = (await readMigrations(migrationsDir)).filter(({ name }) => only?.has(name) ?? true);
  const client = await connect(databaseUrl);
  try {
    const applied: string[] = [];
    const apply = () => applyNext({ client, databaseUrl, migrations });
    for (let name = await apply(); name !== null; name = await apply()) applied.push(name);
    return applied;
  } finally {
    await client.end(); // rolls back what a failure left open
  }
}

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

export async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(dir, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  try {
    return await openClient(databaseUrl);
  } catch (error) {
    if (!isPgError(error, '3D000')) throw error;
    await createDatabase(databaseUrl);
    return openClient(databaseUrl);
  }
}

async function createDatabase(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  const name = decodeURIComponent(url.pathname.slice(1));
  url.pathname = '/postgres';
  const client = await openClient(url.href);
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    const madeMeanwhile = isPgError(error, '42P04') || isPgError(error, '23505');
    if (!madeMeanwhile) throw error;
  } finally {
    await client.end();
  }
}

interface Run {
  client: pg.Client;
  databaseUrl: string;
  migrations: readonly Migration[];
}

/**
 * Takes the lock, reads which migrations are applied, applies the next one and records it, in one transaction. Returns
 * null if no migration is left.
 */
async function applyNext({ client, databaseUrl, migrations }: Run): Promise<string | null> {
  await beginSchemaChange(client);
  await client.query(
    'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
  );
  const record = await readRecord(async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows);
  if (!record) await client.query(CREATE_RECORD);
  const next = nextMigration(migrations, record ?? []);
  if (next !== null) {
    const startedAt = new Date();
    const index = concurrentIndexOf(next.sql);
    try {
      await (index ? buildConcurrently(databaseUrl, index, next.sql) : client.query(next.sql));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`migration ${next.name} failed, and all of its changes were rolled back: ${reason}`, {
        cause: error,
      });
    }
    await client.query(
      `INSERT INTO _prisma_migrations
         (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid()::text, $1, $2, $3, clock_timestamp(), 1)`,
      [next.checksum, next.name, startedAt],
    );
  }
  await client.query('COMMIT');
  return next?.name ?? null;
}

export interface RecordedMigration {
  migration_name: string;
  checksum: string;
  finished: boolean;
}

/** The recorded migrations; null: the database has no record. `query` runs a statement and returns its rows. */
export async function readRecord(
  query: <Row extends object>(sql: string) => Promise<Row[]>,
): Promise<RecordedMigration[] | null> {
  const [found] = await query<{ exists: boolean }>(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`);
  if (!found?.exists) return null;
  return query(`
    SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
    FROM _prisma_migrations WHERE rolled_back_at IS NULL`);
}

/**
 * The first migration that is not recorded. Throws if a recorded one failed or was changed since: then the state of the
 * database is unknown. Recorded migrations that the folder lacks belong to a newer version, and are ignored.
 */
export function nextMigration(
  migrations: readonly Migration[],
  record: readonly RecordedMigration[],
): Migration | null {
  for (const { migration_name: name, checksum, finished } of record) {
    if (!finished) {
      throw new Error(`migration ${name} is recorded as failed: repair it, then run \`npx prisma migrate resolve\``);
    }
    const known = migrations.find((migration) => migration.name === name);
    if (known && known.checksum !== checksum) {
      throw new Error(
        `migration ${name} was changed after it had been applied: restore its file and add a new migration. A database of version 0.1.0 cannot be migrated: create a new one`,
      );
    }
  }
  const done = new Set(record.map((row) => row.migration_name));
  return migrations.find((migration) => !done.has(migration.name)) ?? null;
}

/** The same table as Prisma creates. */
const CREATE_RECORD = `
  CREATE TABLE _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

function isPgError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
