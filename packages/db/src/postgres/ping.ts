import type { Db } from './client.js';

/** Null when Postgres answers and can be asked, else what went wrong. */
export async function ping(db: Db): Promise<unknown> {
  try {
    await db.$queryRaw`SELECT 1 FROM organizations LIMIT 1`;
    return null;
  } catch (error) {
    return error;
  }
}
