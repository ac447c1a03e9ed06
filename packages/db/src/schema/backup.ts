import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { openClient } from '../postgres/pg-client.js';

/** What a backup contains. It is written last: a folder without it is not a complete backup. */
interface Manifest {
  createdAt: string;
  /** The names of the applied migrations, in order. */
  migrations: string[];
  /** In an order in which each table comes after those to which it refers. */
  tables: { name: string; columns: string[]; rows: number }[];
  sequences: { name: string; value: string }[];
}

const MANIFEST = 'manifest.json';
const fileOf = (dir: string, table: string) => join(dir, `${table}.copy.gz`);

/** Receives each table, with its number of rows. */
type Report = (table: string, rows: number) => void;

const NO_LIMITS =
  'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET search_path = public';

/** Writes all rows of the database, as they are at one moment, into a new folder. The apps may run meanwhile. */
export async function writeBackup(databaseUrl: string, dir: string, report: Report): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  const client = await openClient(databaseUrl);
  try {
    await client.query(NO_LIMITS);
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const { rows: migrations } = await client.query<{ name: string }>(
      'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
    );
    const tables: Manifest['tables'] = [];
    for (const { name, columns } of await listTables(client)) {
      const copy = client.query(copyTo(`COPY ${quote(name)} (${columns.map(quote).join()}) TO STDOUT`));
      await pipeline(copy, createGzip(), createWriteStream(fileOf(dir, name), { mode: 0o600 }));
      tables.push({ name, columns, rows: copy.rowCount });
      report(name, copy.rowCount);
    }
    const { rows: sequences } = await client.query<Manifest['sequences'][number]>(
      "SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL",
    );
    const manifest: Manifest = {
      createdAt: new Date().toISOString(),
      migrations: migrations.map(({ name }) => name),
      tables,
      sequences,
    };
    await writeFile(join(dir, MANIFEST), JSON.stringify(manifest, null, 2), { mode: 0o600 });
  } finally {
    await client.end();
  }
}

/** The migrations that the database of a backup had. Throws if the folder is no complete backup. */
export async function readBackup(dir: string): Promise<Manifest> {
  // The cast: `writeBackup` has written it.
  return JSON.parse(await readFile(join(dir, MANIFEST), 'utf8')) as Manifest;
}

/**
 * Replaces all rows of a database, whose migrations are those of the backup, in one transaction. Triggers of the tables write nothing
 * meanwhile.
 */
export async function loadBackup(databaseUrl: string, dir: string, report: Report): Promise<void> {
  const { tables, sequences } = await readBackup(dir);
  const client = await openClient(databaseUrl);
  try {
    await client.query(NO_LIMITS);
    await client.query('BEGIN');
    const triggers = async (change: 'DISABLE' | 'ENABLE') => {
      for (const { name } of tables) await client.query(`ALTER TABLE ${quote(name)} ${change} TRIGGER USER`);
    };
    await triggers('DISABLE');
    await client.query(`TRUNCATE ${tables.map(({ name }) => quote(name)).join()}`);
    for (const { name, columns, rows } of tables) {
      const copy = client.query(copyFrom(`COPY ${quote(name)} (${columns.map(quote).join()}) FROM STDIN`));
      await pipeline(createReadStream(fileOf(dir, name)), createGunzip(), copy);
      if (copy.rowCount !== rows) throw new Error(`${name} has ${copy.rowCount} rows instead of ${rows}`);
      report(name, rows);
    }
    await triggers('ENABLE');
    for (const { name, value } of sequences) await client.query('SELECT setval($1, $2)', [quote(name), value]);
    await client.query('COMMIT');
  } finally {
    await client.end(); // rolls back what a failure left open
  }
}

/** The tables with the columns that Postgres does not compute itself. */
async function listTables(client: pg.Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; refers: string[] }>(`
    SELECT t.relname AS name,
      ARRAY(
        SELECT attname::text FROM pg_attribute
        WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns,
      ARRAY(
        SELECT r.relname::text FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid
        WHERE c.conrelid = t.oid AND c.contype = 'f' AND c.confrelid <> t.oid) AS refers
    FROM pg_class t
    WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' AND t.relname <> '_prisma_migrations'
    ORDER BY t.relname`);
  const sorted: typeof rows = [];
  while (sorted.length < rows.length) {
    const isKnown = (name: string) => sorted.some((table) => table.name === name);
    const next = rows.filter(({ name, refers }) => !isKnown(name) && refers.every(isKnown));
    if (next.length === 0) throw new Error('tables refer to each other in a circle');
    sorted.push(...next);
  }
  return sorted;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
