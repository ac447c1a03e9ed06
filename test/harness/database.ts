import { createDb, createHotDb, type Db, type HotDb, OUTSIDE_TRANSACTION } from '@jobline/db';
import { HANG_MS } from './hang.js';
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
  await asAdmin((admin) => admin.$executeRawUnsafe(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`));
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
      try {
        await asAdmin((admin) => admin.$executeRawUnsafe(`DROP DATABASE ${name} ${pooler ? 'WITH (FORCE)' : ''}`));
      } catch (error) {
        throw new Error(`the database cannot be dropped; open connections: ${await connectionsTo(name)}`, {
          cause: error,
        });
      }
    },
  };
}

/** The state and the last statement of each connection. */
function connectionsTo(name: string): Promise<string> {
  return asAdmin(async (admin) =>
    JSON.stringify(
      await admin.$queryRaw`SELECT state, wait_event, left(query, 200) AS query FROM pg_stat_activity WHERE datname = ${name}`,
    ),
  );
}

async function asAdmin<T>(work: (admin: Db) => Promise<T>): Promise<T> {
  // To create or drop a database, Postgres writes all changed pages to the disk, which may take long while other tests run.
  const limits = { statementTimeoutMs: HANG_MS, connectTimeoutMs: HANG_MS };
  const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined, ...limits });
  try {
    return await work(admin);
  } finally {
    await admin.$disconnect();
  }
}
