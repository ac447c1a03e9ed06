import pg from 'pg';

/** A connection of its own, for what goes by statements that Prisma does not have. The caller ends it. */
export async function openClient(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // a connection that breaks also fails the query that waits for it
  await client.connect();
  return client;
}

/**
 * The key that `prisma migrate` locks. Everything that changes the schema or its privileges takes it first, so that runs of
 * Prisma's and ours wait for each other.
 */
export const SCHEMA_LOCK_KEY = 72707369;
