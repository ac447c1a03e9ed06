import type { Db } from './client.js';

/** Null if Postgres responds to a statement, else the error. */
export async function ping(db: Db): Promise<unknown> {
  try {
    await db.$queryRaw`SELECT 1 FROM organizations LIMIT 1`;
    return null;
  } catch (error) {
    return error;
  }
}
