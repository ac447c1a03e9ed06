import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, type Db } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminUrl, withDatabase } from '../harness/services.js';
import { until } from '../harness/until.js';

let dir: string;
let url: string;
let name: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-migrations-'));
  name = `jobline_migrate_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  url = withDatabase(adminUrl(), name);
});

afterEach(async () => {
  rmSync(dir, { recursive: true, force: true });
  await query(adminUrl(), (db) => db.$executeRawUnsafe(`DROP DATABASE IF EXISTS ${name}`));
});

describe('migrations', () => {
  it('are applied once and in order, in a new database, even if several processes start at once', async () => {
    add('2_second', 'INSERT INTO steps VALUES (2)');
    add('1_first', 'CREATE TABLE steps (n int); INSERT INTO steps VALUES (1)');

    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, dir)));

    expect(applied.flat().sort()).toEqual(['1_first', '2_second']);
    expect(await steps()).toEqual([1, 2]);
    expect(await migrate(url, dir)).toEqual([]);
  });

  it('are recorded in the format of Prisma', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    await migrate(url, dir);

    const record = await query(url, (db) => db.$queryRawUnsafe('SELECT * FROM _prisma_migrations'));
    expect(record).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: 'd87bd714e14c4493ce913244182366f0b2014aa5fb34395312a4f4bdbe9e992a',
        finished_at: expect.any(Date),
        migration_name: '1_first',
        logs: null,
        rolled_back_at: null,
        started_at: expect.any(Date),
        applied_steps_count: 1,
      },
    ]);
  });

  it('leave no changes when they fail, and are tried again the next time', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    add('2_second', 'INSERT INTO steps VALUES (2); SELECT 1 / 0');
    await expect(migrate(url, dir)).rejects.toThrow(
      'migration 2_second failed, and all of its changes were rolled back',
    );
    expect(await steps()).toEqual([]);

    add('2_second', 'INSERT INTO steps VALUES (2)');
    expect(await migrate(url, dir)).toEqual(['2_second']);
  });

  it('are rejected if one was changed after it had been applied', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    await migrate(url, dir);
    add('1_first', 'CREATE TABLE steps (n bigint)');

    await expect(migrate(url, dir)).rejects.toThrow('1_first was changed after it had been applied');
  });

  it('are rejected after a migration that Prisma recorded as failed', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    await migrate(url, dir);
    await query(url, (db) => db.$executeRawUnsafe('UPDATE _prisma_migrations SET finished_at = NULL'));

    await expect(migrate(url, dir)).rejects.toThrow('1_first is recorded as failed');
  });

  it('migrations of a newer version are not touched', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    add('2_second', 'INSERT INTO steps VALUES (2)');
    await migrate(url, dir);
    rmSync(join(dir, '2_second'), { recursive: true });

    expect(await migrate(url, dir)).toEqual([]);
  });
});

describe('an index that a migration builds concurrently', () => {
  const BUILD = '-- Why.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "steps_n_key" ON "steps"("n");\n';

  beforeEach(async () => {
    add('1_first', 'CREATE TABLE steps (n int); INSERT INTO steps VALUES (1), (1)');
    await migrate(url, dir);
  });

  it('does not block writes to its table', async () => {
    await query(url, (db) => db.$executeRawUnsafe('TRUNCATE steps'));
    add('2_index', BUILD);
    await query(url, async (writer) => {
      const done = await writer.$transaction(async (tx) => {
        await tx.$executeRawUnsafe('INSERT INTO steps VALUES (2)');
        const applied = migrate(url, dir);
        await query(url, async (db) => {
          await until('the build to wait for the writer', async () => {
            const waiting = await db.$queryRawUnsafe<unknown[]>(
              `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '-- Why%' AND wait_event_type = 'Lock'`,
            );
            return waiting.length > 0;
          });
          await db.$transaction(async (other) => {
            await other.$executeRawUnsafe('LOCK TABLE steps IN ROW EXCLUSIVE MODE NOWAIT');
            await other.$executeRawUnsafe('INSERT INTO steps VALUES (3)');
          });
        });
        return { applied };
      });
      expect(await done.applied).toEqual(['2_index']);
    });
    expect(await steps()).toEqual([2, 3]);
    expect(await indexes()).toEqual([{ name: 'steps_n_key', isValid: true }]);
  });

  it('is built once, even if several processes start at once', async () => {
    await query(url, (db) => db.$executeRawUnsafe('TRUNCATE steps'));
    add('2_index', BUILD);

    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, dir)));

    expect(applied.flat()).toEqual(['2_index']);
    expect(await indexes()).toEqual([{ name: 'steps_n_key', isValid: true }]);
  });

  it('leaves nothing behind when it fails, and is built the next time', async () => {
    add('2_index', BUILD);
    await expect(migrate(url, dir)).rejects.toThrow(
      'migration 2_index failed, and all of its changes were rolled back',
    );
    expect(await indexes()).toEqual([]);

    await query(url, (db) => db.$executeRawUnsafe('TRUNCATE steps'));
    expect(await migrate(url, dir)).toEqual(['2_index']);
    expect(await indexes()).toEqual([{ name: 'steps_n_key', isValid: true }]);
  });

  it('is rebuilt if an interrupted build has left an invalid index', async () => {
    await expect(query(url, (db) => db.$executeRawUnsafe(BUILD))).rejects.toThrow();
    expect(await indexes()).toEqual([{ name: 'steps_n_key', isValid: false }]);
    await query(url, (db) => db.$executeRawUnsafe('TRUNCATE steps'));
    add('2_index', BUILD);

    expect(await migrate(url, dir)).toEqual(['2_index']);
    expect(await indexes()).toEqual([{ name: 'steps_n_key', isValid: true }]);
  });

  it('can be dropped concurrently', async () => {
    add('2_index', 'CREATE INDEX steps_n ON steps (n)');
    add('3_drop', 'DROP INDEX CONCURRENTLY IF EXISTS steps_n');
    expect(await migrate(url, dir)).toEqual(['2_index', '3_drop']);
    expect(await indexes()).toEqual([]);
  });
});

function indexes(): Promise<{ name: string; isValid: boolean }[]> {
  return query(url, (db) =>
    db.$queryRawUnsafe(`SELECT indexrelid::regclass::text AS name, indisvalid AS "isValid" FROM pg_index
      WHERE indrelid = 'steps'::regclass ORDER BY 1`),
  );
}

function add(migration: string, sql: string): void {
  mkdirSync(join(dir, migration), { recursive: true });
  writeFileSync(join(dir, migration, 'migration.sql'), sql);
}

async function steps(): Promise<number[]> {
  const rows: { n: number }[] = await query(url, (db) => db.$queryRawUnsafe('SELECT n FROM steps ORDER BY n'));
  return rows.map(({ n }) => n);
}

async function query<T>(target: string, use: (db: Db) => Promise<T>): Promise<T> {
  const db = createDb({ url: target, poolSize: 1, onIdleError: () => undefined });
  try {
    return await use(db);
  } finally {
    await db.$disconnect();
  }
}
