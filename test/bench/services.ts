import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, startRedis } from '@jobline/devstack';
import { Redis } from 'ioredis';
import pg from 'pg';
import { cpuMsOf } from './cpu.js';

/** The Postgres and the Redis of the benchmark, which the systems use one after the other. */
export interface Services {
  /** The folder of the process logs. */
  dir: string;
  redisUrl: string;
  /** Creates a database unless it exists, and returns its URL. */
  database(name: string): Promise<string>;
  /** Makes Postgres write what earlier measurements left, so that no measurement pays for another. */
  checkpoint(): Promise<void>;
  /** Deletes everything in Redis. */
  flush(): Promise<void>;
  redisBytes(): Promise<number>;
  /** The CPU time of both servers so far, in ms; null without /proc. */
  cpuMs(): { postgres: number | null; redis: number | null };
  versions: Versions;
  /** Stops both servers and deletes their data. */
  stop(): Promise<void>;
}

export interface Versions {
  postgres: string;
  redis: string;
}

/** Durable as in production: a commit is on disk before it is acknowledged, and Redis syncs its log every second. */
export async function startServices(): Promise<Services> {
  const dir = mkdtempSync(join(tmpdir(), 'jobline-bench-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  const postgres = await startPostgres({ dir, settings: { max_wal_size: '4GB' } });
  const redisServer = await startRedis({ dir }).catch(async (error) => {
    await postgres.remove();
    throw error;
  });
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  const redis = new Redis(redisServer.url);
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    redis.disconnect();
    await admin.end();
    await Promise.all([redisServer.remove(), postgres.remove()]);
    rmSync(dir, { recursive: true, force: true });
  }

  return {
    dir,
    redisUrl: redisServer.url,
    async database(name) {
      const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (rowCount === 0) await admin.query(`CREATE DATABASE "${name}"`);
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      return url.toString();
    },
    async checkpoint() {
      await admin.query('CHECKPOINT');
    },
    async flush() {
      await redis.flushall();
    },
    redisBytes: async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]),
    cpuMs: () => ({ postgres: cpuMsOf(postgres.pid()), redis: cpuMsOf(redisServer.pid()) }),
    versions: {
      postgres: (await admin.query('SHOW server_version')).rows[0].server_version,
      redis: /(?:redis|valkey)_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown',
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
