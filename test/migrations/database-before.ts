import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, type Db } from '@jobline/db';
import { MIGRATIONS, migrate, readMigrations } from '@jobline/db/migrate';
import { adminUrl, withDatabase } from '../harness/index.js';

/** Calls `use` with a new database that has only the migrations before this one, and drops it afterwards. */
export async function withDatabaseBefore(
  migration: string,
  use: (database: { url: string; db: Db }) => Promise<void>,
): Promise<void> {
  const name = `jobline_before_${process.pid}`;
  const url = withDatabase(adminUrl(), name);
  const earlier = await mkdtemp(join(tmpdir(), 'jobline-before-'));
  const db = createDb({ url, poolSize: 1, onIdleError: () => undefined });
  try {
    for (const { name: folder } of await readMigrations(MIGRATIONS)) {
      if (folder < migration) await cp(join(MIGRATIONS, folder), join(earlier, folder), { recursive: true });
    }
    await migrate(url, earlier);
    await use({ url, db });
  } finally {
    await db.$disconnect();
    await rm(earlier, { recursive: true });
    const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined });
    await admin.$executeRawUnsafe(`DROP DATABASE IF EXISTS ${name}`);
    await admin.$disconnect();
  }
}
