import { createDb, type Db } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type ServiceProxy, startProxy, type TestDatabase, until } from '../harness/index.js';

const id = newId();
let database: TestDatabase;
let proxy: ServiceProxy;
let remote: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  await database.db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${id}::uuid, 'Acme')`;
  proxy = await startProxy(database.url);
  remote = createDb({ url: proxy.url, poolSize: 1, onIdleError: () => undefined });
});
afterEach(async () => {
  await proxy.close();
  await remote.$disconnect();
  await database.drop();
});

/** Locks the organization, runs `work`, and never ends the transaction: the network then loses every packet. */
async function lockAndVanish(work: (tx: Pick<Db, '$queryRaw'>) => Promise<unknown>): Promise<void> {
  let isLocked = false;
  const lost = remote.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM organizations FOR UPDATE`;
      isLocked = true;
      await work(tx);
    },
    { timeout: 600_000 },
  );
  lost.catch(() => undefined); // its connection ends
  await until('the lock', () => isLocked);
}

const isFree = async () =>
  (await database.db.$queryRaw<object[]>`SELECT 1 FROM organizations FOR UPDATE SKIP LOCKED`).length === 1;

it('Postgres ends the transaction of a process that is silent in the middle of it', async () => {
  await lockAndVanish(() => new Promise(() => undefined));
  proxy.hold();
  expect(await isFree()).toBe(false);

  await until('the lock to be released', isFree);
});

it('Postgres ends the transaction of a process that does not read an answer', async () => {
  // The answer is larger than all buffers on its way.
  await lockAndVanish((tx) => tx.$queryRaw`SELECT pg_sleep(1)::text, repeat('x', 100000000)`);
  await until('the statement to run', async () => {
    const [row] = await database.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'`;
    return row?.count === 1;
  });
  proxy.hold();
  expect(await isFree()).toBe(false);

  await until('the lock to be released', isFree);
});
