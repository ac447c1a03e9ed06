import { pause } from '@jobline/runtime';
import pg from 'pg';

/**
 * A separate connection, for statements that Prisma does not support. The caller ends it. `session` holds settings of
 * the form `-c name=value`.
 */
export async function openClient(connectionString: string, session?: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 10_000,
    ...(session !== undefined && { options: session }),
  });
  client.on('error', () => undefined); // a connection that breaks also fails the query that waits for it
  await client.connect();
  return client;
}

/** The key that `prisma migrate` locks, so that runs of Prisma and of this program wait for each other. */
const SCHEMA_LOCK_KEY = 72707369;
const LOCK_AGAIN_MS = 200;

/**
 * Begins a transaction that holds the lock for all changes of the schema and of its privileges. While another process
 * holds the lock, it is requested repeatedly: a statement that waits for the lock holds a snapshot, and CREATE INDEX
 * CONCURRENTLY, under the same lock, waits for all snapshots to end.
 */
export async function beginSchemaChange(client: pg.Client): Promise<void> {
  for (;;) {
    await client.query('BEGIN');
    const { rows } = await client.query<{ has_lock: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS has_lock', [
      SCHEMA_LOCK_KEY,
    ]);
    if (rows[0]?.has_lock) return;
    await client.query('ROLLBACK');
    await pause(LOCK_AGAIN_MS);
  }
}
