import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createDb } from '@jobline/db';
import type { Server } from '@jobline/devstack';
import { pause } from '@jobline/runtime';
import { until } from '../../../harness/until.js';
import { type Fault, OUTAGE_MS } from '../fault.js';

export const restartedPostgres: Fault = {
  name: 'Postgres restart',
  loadSeconds: 15,
  async cause({ servers }) {
    await servers.postgres.stop();
    await servers.postgres.start();
  },
};

export const unreachablePostgres: Fault = {
  name: 'Postgres unreachable for 20 s',
  loadSeconds: 40,
  servers: { proxied: 'postgres' },
  async cause({ servers }) {
    servers.proxy?.hold();
    await pause(OUTAGE_MS);
    servers.proxy?.resume();
  },
};

const FILL_EVERY_MS = 100;
const DISK_MIB = 2_048;

/** The data is on a small file system of its own, which another file fills. Needs root. */
export const fullDisk: Fault = {
  name: 'Postgres disk full for 20 s and freed',
  loadSeconds: 60,
  servers: {
    // A small log that takes new space, as on a server that has written for a long time.
    postgresSettings: { min_wal_size: '32MB', max_wal_size: '64MB', wal_recycle: 'off' },
    async mount(dir) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=755`, 'jobline-faults', dir]);
      return async () => void execFileSync('umount', [dir]);
    },
  },
  async cause({ servers, say }) {
    const { postgres, postgresDir } = servers;
    const filler = join(postgresDir, 'filler');
    await until('Postgres to find no space', async () => {
      await fill(filler, postgresDir);
      return readFileSync(postgres.logFile, 'utf8').includes('No space left on device');
    });
    say('the disk is full');
    for (let passed = 0; passed < OUTAGE_MS; passed += FILL_EVERY_MS) {
      await fill(filler, postgresDir);
      await pause(FILL_EVERY_MS);
    }
    rmSync(filler);
    say('the disk has space again');
    await untilItAnswers(postgres);
  },
};

/** Without space for its log Postgres ends itself, as designed. Then its supervisor starts it. */
async function untilItAnswers(postgres: Server): Promise<void> {
  const db = createDb({ url: postgres.url, poolSize: 1, onIdleError: () => undefined });
  await until('Postgres to write', async () => {
    if (postgres.pid() === undefined) await postgres.start();
    return db.$executeRawUnsafe('CREATE TEMP TABLE written AS SELECT 1').then(
      () => true,
      () => false,
    );
  });
  await db.$disconnect();
}

/** Fills the rest of a file system, also what was freed since the last call. */
async function fill(file: string, dir: string): Promise<void> {
  const target = await open(file, 'a');
  const block = Buffer.alloc(1024 * 1024);
  try {
    while (statfsSync(dir).bavail > 0) await target.write(block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await target.close();
  }
}

/** Of `max_connections`, the apps use 48. */
const CONNECTIONS = 60;
const LONG_TRANSACTIONS = 12;

export const exhaustedPool: Fault = {
  name: 'connection pools exhausted by long transactions for 20 s',
  loadSeconds: 40,
  servers: { postgresSettings: { max_connections: String(CONNECTIONS) } },
  async cause({ deployment }) {
    const db = createDb({ url: deployment.directUrl, poolSize: LONG_TRANSACTIONS, onIdleError: () => undefined });
    // The first one blocks each write of a job, and so each connection of the apps. The others use up the server.
    const hold = (lock: string) =>
      db.$transaction(
        async (tx) => {
          // As in a program that does not limit it.
          await tx.$executeRawUnsafe('SET LOCAL idle_in_transaction_session_timeout = 0');
          await tx.$executeRawUnsafe(lock);
          await pause(OUTAGE_MS);
        },
        { timeout: 2 * OUTAGE_MS, maxWait: OUTAGE_MS },
      );
    const locks = ['LOCK TABLE live_jobs IN EXCLUSIVE MODE', ...new Array(LONG_TRANSACTIONS - 1).fill('SELECT 1')];
    const [lock] = await Promise.allSettled(locks.map(hold));
    await db.$disconnect();
    if (lock?.status === 'rejected') throw lock.reason;
  },
};
