import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, type Db } from '@jobline/db';
import { type Server, startPostgres, startRedis } from '@jobline/devstack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let dir: string;
let servers: Server[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-servers-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.remove()));
  rmSync(dir, { recursive: true, force: true });
});

describe('a Postgres started by the devstack', () => {
  it('keeps its address and its committed data after a kill and a restart', async () => {
    const postgres = await started(startPostgres({ dir }));
    await withDb(postgres, (db) => db.$executeRawUnsafe('CREATE TABLE kept AS SELECT 42 AS answer'));
    await postgres.kill();
    expect(postgres.pid()).toBeUndefined();
    await postgres.start();

    const rows = await withDb(postgres, (db) => db.$queryRawUnsafe('SELECT answer FROM kept'));
    expect(rows).toEqual([{ answer: 42 }]);
  });

  it('starts although its lock file names a process of another program', async () => {
    const postgres = await started(startPostgres({ dir }));
    await postgres.stop();
    writeFileSync(join(dir, 'postgres', 'postmaster.pid'), `${process.pid}\n${dir}\n`);
    await postgres.start();

    expect(await withDb(postgres, (db) => db.$queryRawUnsafe('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  it('rejects a wrong password', async () => {
    const postgres = await started(startPostgres({ dir }));
    const url = new URL(postgres.url);
    url.password = 'guessed';

    await expect(withDb({ url: url.href }, (db) => db.$queryRawUnsafe('SELECT 1'))).rejects.toThrow();
  });

  it('leaves no files after its removal', async () => {
    const postgres = await started(startPostgres({ dir, logFile: join(dir, 'log') }));
    await postgres.remove();

    expect(existsSync(join(dir, 'postgres'))).toBe(false);
  });
});

describe('a Redis started by the devstack', () => {
  it('keeps its address and its data after a stop and a restart', async () => {
    const redis = await started(startRedis({ dir }));
    expect(await send(redis, 'SET kept 42')).toBe('+OK');
    await redis.stop();
    await redis.start();
    expect(await send(redis, 'GET kept')).toBe('$2\r\n42');
  });

  it('never evicts data for lack of memory', async () => {
    const redis = await started(startRedis({ dir }));

    expect(await send(redis, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
  });
});

async function started(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  servers.push(server);
  return server;
}

async function withDb<T>({ url }: { url: string }, use: (db: Db) => Promise<T>): Promise<T> {
  const db = createDb({ url, poolSize: 1, onIdleError: () => undefined });
  try {
    return await use(db);
  } finally {
    await db.$disconnect();
  }
}

async function send({ port }: Server, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(`${command}\r\n`);
    const [answer] = await once(socket, 'data');
    return String(answer).trim();
  } finally {
    socket.destroy();
  }
}
