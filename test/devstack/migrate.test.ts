import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, type Db } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminUrl, withDatabase } from '../harness/services.js';

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
  it('are applied once and in order, in a database that is created, however many processes start at once', async () => {
    add('2_second', 'INSERT INTO steps VALUES (2)');
    add('1_first', 'CREATE TABLE steps (n int); INSERT INTO steps VALUES (1)');

    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, dir)));

    expect(applied.flat().sort()).toEqual(['1_first', '2_second']);
    expect(await steps()).toEqual([1, 2]);
    expect(await migrate(url, dir)).toEqual([]);
  });

  it('are recorded as Prisma records them', async () => {
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

  it('leave nothing of themselves when they fail, and are tried again the next time', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    add('2_second', 'INSERT INTO steps VALUES (2); SELECT 1 / 0');
    await expect(migrate(url, dir)).rejects.toThrow('migration 2_second failed, and nothing of it was kept');
    expect(await steps()).toEqual([]);

    add('2_second', 'INSERT INTO steps VALUES (2)');
    expect(await migrate(url, dir)).toEqual(['2_second']);
  });

  it('are refused when one was changed after it had been applied', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    await migrate(url, dir);
    add('1_first', 'CREATE TABLE steps (n bigint)');

    await expect(migrate(url, dir)).rejects.toThrow('1_first was changed after it had been applied');
  });

  it('are refused after one that Prisma recorded as failed', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    await migrate(url, dir);
    await query(url, (db) => db.$executeRawUnsafe('UPDATE _prisma_migrations SET finished_at = NULL'));

    await expect(migrate(url, dir)).rejects.toThrow('1_first is recorded as failed');
  });

  it('of a newer version are left alone', async () => {
    add('1_first', 'CREATE TABLE steps (n int)');
    add('2_second', 'INSERT INTO steps VALUES (2)');
    await migrate(url, dir);
    rmSync(join(dir, '2_second'), { recursive: true });

    expect(await migrate(url, dir)).toEqual([]);
  });
});

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
