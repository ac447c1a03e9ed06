import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  createCall,
  createWorld,
  type OwnRedis,
  register,
  spawnApi,
  spawnWorker,
  startOwnRedis,
  until,
  type World,
} from '../harness/index.js';

const JOBS = 300_000;
const PER_BATCH = 500;
const PARTS = 10;

let world: World;
let redis: OwnRedis;
let handlers: string;
beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  handlers = mkdtempSync(join(tmpdir(), 'jobline-soak-'));
  writeFileSync(join(handlers, 'noop.mjs'), "export default { type: 'noop', async run() { return { ok: true }; } };");
});
afterEach(async () => {
  rmSync(handlers, { recursive: true });
  await world.end();
  await redis.end();
});

function residentMiB({ pid }: AppProcess): number {
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024);
}

/** The keys that would grow if anything leaked: entries of jobs, and lists of them. */
async function entriesIn(client: Redis): Promise<string[]> {
  const keys = await client.keys('*');
  return keys.filter((key) => !/:(meta|events|marker|id|stalled-check|sentinel|window|flood)$/.test(key));
}

it('after 300,000 jobs both processes use no more memory than after half of them, and Redis is empty', async () => {
  const env = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url };
  const api = await spawnApi(env);
  const worker = await spawnWorker({ ...env, HANDLERS_DIR: handlers });
  const client = new Redis(redis.url);
  try {
    const person = await register(createCall(api.url));
    const jobs = Array.from({ length: PER_BATCH }, (_, n) => ({
      type: 'noop',
      payload: { order: n, to: 'ada@example.com' },
    }));
    const memory: { apiMiB: number; workerMiB: number; redisMiB: number }[] = [];
    for (let part = 1; part <= PARTS; part++) {
      const total = (JOBS / PARTS) * part;
      for (let sent = 0; sent < JOBS / PARTS; sent += PER_BATCH) {
        expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
      }
      const isDone = async () => (await world.db.job.count({ where: { status: 'done' } })) === total;
      await until(`${total} jobs to be done`, isDone);
      const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
      memory.push({ apiMiB: residentMiB(api), workerMiB: residentMiB(worker), redisMiB: Math.round(used / 1024 ** 2) });
    }
    await until('Redis to be empty', async () => (await entriesIn(client)).length === 0);

    console.table(memory);
    // Node uses the memory that it may use before it collects garbage. A leak would continue to grow.
    const most = (of: 'apiMiB' | 'workerMiB', parts: typeof memory) => Math.max(...parts.map((part) => part[of]));
    for (const app of ['apiMiB', 'workerMiB'] as const) {
      expect(most(app, memory.slice(PARTS / 2))).toBeLessThan(1.25 * most(app, memory.slice(0, PARTS / 2)));
    }
  } finally {
    client.disconnect();
    await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')]);
  }
});
