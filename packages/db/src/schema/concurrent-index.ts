import type pg from 'pg';
import { openClient } from '../postgres/pg-client.js';

/** With IF (NOT) EXISTS, so that it can be repeated. */
const STATEMENT =
  /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) "?([a-z0-9_]+)"?(?= |$)/;

/**
 * The index that a migration builds or drops without locking its table; null if it is another kind of migration. The
 * statement must be the only one: several statements that are sent together are one transaction.
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
 * Runs the statement alone on a separate connection. A build that fails or is interrupted leaves an index that Postgres
 * writes to and never reads, and that IF NOT EXISTS would accept: it is removed, at the latest by the next run.
 */
export async function buildConcurrently(databaseUrl: string, index: string, sql: string): Promise<void> {
  const client = await openClient(databaseUrl, '-c statement_timeout=0 -c lock_timeout=0');
  try {
    await dropInvalid(client, index);
    await client.query(sql).catch(async (error: unknown) => {
      await dropInvalid(client, index).catch(() => undefined); // of two errors the first is the cause
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
