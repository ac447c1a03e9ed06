import type { Db, HotDb } from '@jobline/db';
import type { RunningWorker } from '@jobline/worker/start';
import { Queue } from 'bullmq';
import { type ApiOptions, startApi, type TestApi } from './api.js';
import { createTestDatabase } from './database.js';
import { APIS, startApis, startWorkers, WORKERS } from './machines.js';
import { type Receiver, type Replies, startReceiver } from './receiver.js';
import { openRedis } from './redis-client.js';
import { redisUrl } from './services.js';
import { startTestWorker, type WorkerOptions } from './worker.js';

/** A separate database and a Redis prefix, and everything that a test has started on them. */
export interface World {
  db: Db;
  hot: HotDb;
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  /** Two of them with TEST_MACHINES=several. */
  api(options?: Partial<ApiOptions>): Promise<TestApi>;
  /** Four of them with TEST_MACHINES=several. */
  worker(options?: Partial<WorkerOptions>): Promise<RunningWorker>;
  /** Single processes, for tests of one process's capacity, memory or limits. */
  alone: Pick<World, 'api' | 'worker'>;
  /** Adds an entry to the io queue without the engine. */
  addEntry(key: string, seq: number): Promise<void>;
  receiver(reply?: Replies): Promise<Receiver>;
  /** Stops everything, last started first, and drops the database: an open connection fails the test. */
  end(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  const place = {
    databaseUrl: database.url,
    redisUrl: redisUrl(),
    prefix: `test-${process.pid}-${Math.random().toString(36).slice(2, 10)}`,
  };
  const ends: (() => Promise<void>)[] = [database.drop];

  async function apiOf(count: number, options?: Partial<ApiOptions>): Promise<TestApi> {
    const api = await startApis(count, () => startApi({ ...place, ...options }));
    ends.push(api.stop);
    return api;
  }

  async function workerOf(count: number, options?: Partial<WorkerOptions>): Promise<RunningWorker> {
    const worker = await startWorkers(count, () => startTestWorker({ ...place, ...options }));
    let stopping: Promise<void> | undefined;
    const stop = (drainMs = 5_000) => {
      stopping ??= worker.stop(drainMs);
      return stopping;
    };
    ends.push(() => stop());
    return { ...worker, stop };
  }

  return {
    ...place,
    db: database.db,
    hot: database.hot,
    api: (options) => apiOf(APIS, options),
    worker: (options) => workerOf(WORKERS, options),
    alone: {
      api: (options) => apiOf(1, options),
      worker: (options) => workerOf(1, options),
    },
    async addEntry(key, seq) {
      const connection = openRedis(place.redisUrl);
      const queue = new Queue('io', { connection, prefix: `{${place.prefix}-io}` });
      await queue.add('job', {}, { jobId: `${key}-${seq}`, attempts: 9, backoff: { type: 'custom' } });
      await queue.close();
      connection.disconnect();
    },
    async receiver(reply) {
      const receiver = await startReceiver(reply);
      ends.push(receiver.close);
      return receiver;
    },
    async end() {
      for (const end of ends.reverse()) await end();
    },
  };
}
