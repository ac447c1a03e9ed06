import type { OrgId } from '@jobline/contracts';
import { createDb, type Db, getSettings, isUnavailable, type PoolStats, runAs } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, holdLock, type TestDatabase, until } from '../harness/index.js';

/** An organization may use two, all together three. */
const POOL_SIZE = 4;
/** The key of the lock that statements wait for. */
const LOCK = 7;
// The casts: every text is one here.
const [FIRST, SECOND, THIRD] = [newId(), newId(), newId()] as [OrgId, OrgId, OrgId];

let database: TestDatabase;
let db: Db;
let stats: () => PoolStats;
let openLock: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

beforeEach(async () => {
  open({});
  const lock = await holdLock(database.db, (tx) => tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(${LOCK}::int)`);
  openLock = lock.release;
});
afterEach(async () => {
  await openLock();
  await db.$disconnect();
});

function open(more: { url?: string; poolSize?: number; connectTimeoutMs?: number; statementTimeoutMs?: number }): void {
  const watchPool = (look: () => PoolStats) => {
    stats = look;
  };
  db = createDb({ url: database.url, poolSize: POOL_SIZE, onIdleError: () => undefined, watchPool, ...more });
}

async function reopen(more: Parameters<typeof open>[0]): Promise<void> {
  await db.$disconnect();
  open(more);
}

const waitForLock = (orgId: OrgId | null) => runAs(orgId, () => slow(db));
const slow = (session: Pick<Db, '$queryRaw'>): Promise<unknown> =>
  session.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock_shared(${LOCK}::int)`;
const quick = (orgId: OrgId | null): Promise<unknown> => runAs(orgId, () => db.$queryRaw`SELECT 1`);

function waitForLockOf(orgId: OrgId | null, count: number): Promise<PromiseSettledResult<unknown>[]> {
  return Promise.allSettled(Array.from({ length: count }, () => waitForLock(orgId)));
}

const statusesOf = (all: readonly PromiseSettledResult<unknown>[]) => all.map(({ status }) => status);

it('a statement after the end of its client is rejected, and one that runs has ended', async () => {
  let hasEnded = false;
  const running = waitForLock(null).then(() => {
    hasEnded = true;
  });
  await until('it to run', () => stats().inUse === 1);
  const ending = db.$disconnect().then(() => hasEnded);
  await openLock();

  expect(await ending).toBe(true);
  await running;
  await expect(quick(null)).rejects.toThrow(/pool/);
  await db.$disconnect();
});

describe('the connections of a pool', () => {
  it('are not all taken by the statements of one organization', async () => {
    const slowOnes = waitForLockOf(FIRST, 20);
    await until('two to run', () => stats().inUse === 2);

    await quick(SECOND);
    await quick(null);
    expect(stats()).toMatchObject({ inUse: 2, waiting: 18, max: POOL_SIZE });

    await openLock();
    expect(new Set(statusesOf(await slowOnes))).toEqual(new Set(['fulfilled']));
    expect(stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it('serve an organization that reads a row in the same moment as one whose share is used', async () => {
    const slowOnes = waitForLockOf(FIRST, 2);
    await until('two to run', () => stats().inUse === 2);
    const find = (orgId: OrgId) => runAs(orgId, () => getSettings(db, orgId));

    const [first, second] = [find(FIRST), find(SECOND)];

    await second;
    await openLock();
    await Promise.all([first, slowOnes]);
  });

  it('serve two organizations at the same time, also if there are only two', async () => {
    await reopen({ poolSize: 2 });
    const slowOnes = waitForLockOf(FIRST, 5);
    await until('one to run', () => stats().inUse === 1);

    await quick(SECOND);

    expect(stats()).toMatchObject({ inUse: 1, waiting: 4 });
    await openLock();
    await slowOnes;
  });

  it('are not all taken by organizations together: one is left to the service', async () => {
    const slowOnes = [waitForLockOf(FIRST, 5), waitForLockOf(SECOND, 5)];
    await until('three to run', () => stats().inUse === 3);
    const other = quick(THIRD);

    await quick(null);
    expect(stats()).toMatchObject({ inUse: 3, waiting: 8 });

    await openLock();
    await Promise.all([other, ...slowOnes]);
  });

  it('may all be used by statements of the service', async () => {
    const slowOnes = waitForLockOf(null, 5);
    await until('all to run', () => stats().inUse === POOL_SIZE);
    expect(stats().waiting).toBe(1);
    await openLock();
    await slowOnes;
  });

  it('are used in turns: an organization that comes later does not wait for all statements of an earlier one', async () => {
    // A connection that must be opened first would change the order.
    await Promise.all(Array.from({ length: POOL_SIZE }, () => quick(null)));
    const order: string[] = [];
    const running: (() => void)[] = [];
    let mayEnd = false;
    const note = (name: string, orgId: OrgId) => {
      const transaction = () =>
        new Promise<void>((end) => {
          order.push(name);
          if (mayEnd) end();
          else running.push(end);
        });
      return runAs(orgId, () => db.$transaction(transaction));
    };
    const all = Array.from({ length: 10 }, () => note('first', FIRST));
    await until('two to run', () => order.length === 2);
    all.push(note('second', SECOND), note('second', SECOND), note('third', THIRD));

    // They end one at a time: with several, the order in which the next ones begin is left to chance.
    for (let count = 3; count < 6; count += 1) {
      await until(`${count} to have begun`, () => order.length === count);
      running.shift()?.();
    }
    await until('six to have begun', () => order.length === 6);
    expect(order).toEqual(['first', 'first', 'second', 'third', 'first', 'second']);

    mayEnd = true;
    for (const end of running) end();
    await Promise.all(all);
  });
});

it('a statement that waits too long for the share of its organization fails as unavailable, and others do not', async () => {
  await reopen({ connectTimeoutMs: 2_000 });
  const slowOnes = waitForLockOf(FIRST, 4);
  await until('two to run', () => stats().inUse === 2);
  const transaction = runAs(FIRST, () => db.$transaction((tx) => slow(tx), { maxWait: 2_000 }));

  await expect(transaction).rejects.toSatisfy(isUnavailable);
  await expect(transaction).rejects.toThrow('the organization uses its share');
  await until('the others to give up', () => stats().waiting === 0);
  await quick(SECOND);

  await openLock();
  expect(statusesOf(await slowOnes)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  await quick(FIRST);
});

describe('the turn of a statement ends', () => {
  /** More often than an organization has turns. */
  async function repeat(failing: () => Promise<unknown>): Promise<void> {
    for (let n = 0; n < 3; n++) await expect(failing()).rejects.toThrow();
    await until('no connection to be in use', () => stats().inUse === 0);
    await Promise.all([quick(FIRST), quick(FIRST), quick(FIRST)]);
    expect(stats()).toMatchObject({ inUse: 0, waiting: 0 });
  }

  it('when it fails', () => repeat(() => runAs(FIRST, () => db.$queryRaw`SELECT 1 / 0`)));

  it('when its transaction is rolled back', () =>
    repeat(() =>
      runAs(FIRST, () =>
        db.$transaction(async (tx) => {
          await tx.$queryRaw`SELECT 1`;
          throw new Error('changed its mind');
        }),
      ),
    ));

  it('when its transaction has reached its time limit', async () => {
    await reopen({ statementTimeoutMs: 300 });
    await repeat(() => runAs(FIRST, () => db.$transaction((tx) => slow(tx), { timeout: 50 })));
  });

  it('when its connection breaks', () =>
    repeat(() =>
      runAs(FIRST, () =>
        db.$transaction((tx) => tx.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(60)`),
      ),
    ));

  it('when no connection can be opened', async () => {
    const url = new URL(database.url);
    url.port = '1';
    await reopen({ url: url.href });
    for (let n = 0; n < 3; n++) {
      await expect(quick(FIRST)).rejects.toSatisfy(isUnavailable);
      await expect(runAs(FIRST, () => db.$transaction((tx) => tx.$queryRaw`SELECT 1`))).rejects.toSatisfy(
        isUnavailable,
      );
    }
    expect(stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it('when its transaction gives up before it has a connection', async () => {
    const slowOnes = waitForLockOf(FIRST, 2);
    await until('two to run', () => stats().inUse === 2);
    await expect(
      runAs(FIRST, () => db.$transaction((tx) => tx.$queryRaw`SELECT 1`, { maxWait: 50 })),
    ).rejects.toSatisfy(isUnavailable);

    await openLock();
    await slowOnes;
    await repeat(() => runAs(FIRST, () => db.$queryRaw`SELECT 1 / 0`));
  });
});
