import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  createWorld,
  finishedJob,
  makeDue,
  type OwnRedis,
  type Person,
  register,
  runToEnd,
  spawnWorker,
  startOwnRedis,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let redis: OwnRedis;
let person: Person;
let dir: string;
let own: AppProcess | undefined;
beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
  dir = await mkdtemp(join(tmpdir(), 'jobline-test-hooks-'));
});
afterEach(async () => {
  await own?.kill('SIGKILL');
  await rm(dir, { recursive: true });
  await redis.end();
  await world.end();
});

/** A handler that notes when its parts are called. */
const HANDLER = `
  import { appendFileSync } from 'node:fs';
  const note = (text) => appendFileSync(new URL('./notes.txt', import.meta.url), text + '\\n');
  let pool;
  export const type = 'noted';
  export const defaults = { max_retries: 1 };
  export async function setup() {
    if (process.env.BROKEN) throw new Error('no connection');
    await new Promise((resolve) => setTimeout(resolve, 50));
    pool = 'open';
    note('setup');
  }
  export async function close() {
    note('close');
    throw new Error('cannot close');
  }
  export async function run(_payload, { job, isLastAttempt, submit }) {
    note('run ' + pool);
    const later = { run_at: new Date(Date.now() + 86_400_000).toISOString() };
    const child = await submit('webhook', { url: 'https://example.com', payload: {} }, later);
    const other = await submit('webhook', { url: 1, payload: {} }).catch(({ code, details }) => ({ code, details }));
    return { job, isLastAttempt, child, other, isIsolated: process.connected === true };
  }
`;

async function start(env: Record<string, string> = {}): Promise<AppProcess> {
  await writeFile(join(dir, 'noted.mjs'), HANDLER);
  const settings = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, HANDLERS_DIR: dir, WORKER_QUEUES: 'io:5' };
  own = await spawnWorker({ WORKER_LEASE_MS: '2000', ...settings, ...env });
  return own;
}

const notes = async () => (await readFile(join(dir, 'notes.txt'), 'utf8')).trim().split('\n');

it('setup is called before the first job, close after the last one, and a close that throws is only logged', async () => {
  const id = await submitJob(person, 'noted', {});
  const worker = await start();
  await finishedJob(person, id);
  await worker.kill('SIGTERM');

  expect(await notes()).toEqual(['setup', 'run open', 'close']);
  expect(worker.output()).toContain('close() of a handler failed');
  expect(await world.db.worker.count()).toBe(0);
});

it('a worker whose setup throws does not start, and says which one', async () => {
  const worker = await start({ BROKEN: 'yes' });
  await worker.ended;

  expect(worker.output()).toContain('HANDLERS_DIR: setup() of the type "noted" failed: Error: no connection');
  expect(await world.db.jobType.count({ where: { type: 'noted' } })).toBe(0);
});

it('an isolated job has the same context and setup, and submits the same jobs', async () => {
  await start();
  await until('the worker to register', () => world.db.worker.count());
  const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
  const id = await submitJob(person, 'noted', {}, { tags: ['a'], key: 'k', ...later });
  await world.db.job.updateMany({ where: { id }, data: { crashCount: 2 } });
  await makeDue(world.db, id);
  const isolated = await finishedJob(person, id);
  await until('the isolated process to close', async () => (await notes()).includes('close'));
  const usual = await runToEnd(person, 'noted', {}, { tags: ['a'], key: 'k' });

  expect(isolated.result.result.isIsolated).toBe(true);
  expect(usual.result.result.isIsolated).toBe(false);
  const expected = (story: typeof usual) => ({
    job: {
      ...{ id: story.job.id, type: 'noted', tags: ['a'], key: 'k', priority: 0, retries: 0, max_retries: 1 },
      ...{ created_at: story.job.created_at, run_at: expect.any(String) },
      ...{ expires_at: null, schedule_id: null, planned_at: null },
    },
    isLastAttempt: false,
    child: { id: `${story.job.id}-1`, status: 'pending' },
    other: {
      code: 'validation_failed',
      details: [{ path: 'payload.url', message: expect.any(String) }],
    },
  });
  expect(isolated.result.result).toMatchObject(expected(isolated));
  expect(usual.result.result).toMatchObject(expected(usual));
  expect((await notes()).slice(0, 4)).toEqual(['setup', 'setup', 'run open', 'close']);
});
