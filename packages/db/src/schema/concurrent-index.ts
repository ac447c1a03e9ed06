import type pg from 'pg';
import { openClient } from '../postgres/pg-client.js';

/** With IF (NOT) EXISTS, so that it can be repeated. */
const STATEMENT =
  /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) "?([a-z0-9_]+)"?(?= |$)/;

/**
 * The index that a migration builds or drops while others write to its table; null if it is another kind of migration. It
 * is the only statement there: several that are sent together are one transaction.
 */
export function concurrentIndexOf(sql: string): string | null {
  const statement = sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/;$/, '')
    .toLowerCase();
  return statement.includes(';') ? null : (STATEMENT.exec(statement)?.[1] ?? null);
}

/**
 * Runs the statement by itself on a connection of its own. A build that fails or is interrupted leaves an index that
 * Postgres writes to, never reads and takes for the one that is wanted: it is removed, at the latest by the next try.
 */
export async function buildConcurrently(databaseUrl: string, index: string, sql: string): Promise<void> {
  const client = await openClient(databaseUrl, '-c statement_timeout=0 -c lock_timeout=0');
  try {
    await dropInvalid(client, index);
    await client.query(sql).catch(async (error: unknown) => {
      await dropInvalid(client, index).catch(() => undefined); // of two errors the first says why
      throw error;
    });
  } finally {
    await client.end();
  }
}

async function dropInvalid(client: pg.Client, index: string): Promise<void> {
  const name = client.escapeIdentifier(index);
  const { rows } = await client.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
    name,
  ]);
  if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
