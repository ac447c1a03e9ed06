import { createDb, createHotDb, type Db, type HotDb, OUTSIDE_TRANSACTION } from '@jobline/db';
import { adminUrl, poolerUrl, TEMPLATE, withDatabase } from './services.js';

export interface TestDatabase {
  url: string;
  db: Db;
  hot: HotDb;
  drop(): Promise<void>;
}

// Fails the test run: with few connections, such statements wait for each other.
process.on('warning', (warning) => {
  if (warning.name === OUTSIDE_TRANSACTION) throw warning;
});

/** A separate migrated database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `jobline_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  // Copied as files: through the log it costs twice as much.
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  const pooler = poolerUrl();
  const url = withDatabase(pooler ?? adminUrl(), name);
  const db = createDb({ url, poolSize: 5, onIdleError: () => undefined });
  const hot = createHotDb({ url, poolSize: 2, onIdleError: () => undefined });
  return {
    url,
    db,
    hot,
    async drop() {
      await Promise.all([db.$disconnect(), hot.close()]);
      // Not forced: a connection that a test left open fails it here. A pooler keeps some connections.
      await asAdmin(`DROP DATABASE ${name} ${pooler ? 'WITH (FORCE)' : ''}`);
    },
  };
}

async function asAdmin(statement: string): Promise<void> {
  const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined });
  try {
    await admin.$executeRawUnsafe(statement);
  } finally {
    await admin.$disconnect();
  }
}
