import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OrgId } from '@jobline/contracts';
import { createDb, type Db, eventsNow, isFromAnotherPostgres, listEvents, listWrittenEvents } from '@jobline/db';
import { loadBackup, migrate } from '@jobline/db/migrate';
import { type Server, startPostgres } from '@jobline/devstack';
import { checkStart } from '@jobline/engine';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepingLogger } from '../api/support.js';
import {
  createWorld,
  finishedJob,
  type OwnRedis,
  type Person,
  readEvents,
  register,
  startApi,
  startOwnRedis,
  startTestWorker,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('../../apps/api/dist', import.meta.url));
const runFile = promisify(execFile);

let world: World;
let redis: OwnRedis;
let postgres: Server;
let dir: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-restore-'));
  chmodSync(dir, 0o755); // A Postgres that drops root privileges must have access.
  [world, redis, postgres] = await Promise.all([createWorld(), startOwnRedis(), startPostgres({ dir })]);
});
afterEach(async () => {
  await world.end();
  await Promise.all([redis.end(), postgres.remove()]);
  rmSync(dir, { recursive: true, force: true });
});

/** Runs a program of the API with the database and the Redis of the restored installation. */
const run = (program: string, args: readonly string[], databaseUrl = postgres.url) =>
  runFile(process.execPath, [join(PROGRAMS, program), ...args], {
    env: { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, QUEUE_PREFIX: world.prefix },
  });

it('a backup is restored into an empty database, or into another one on request, when no app runs', async () => {
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  const run_at = new Date(Date.now() + 3_600_000).toISOString();
  const text = 'line\u2028 and tab\t, \\. and \n';
  await submitJob(person, 'later', { text }, { id: 'kept', tags: ['a'], run_at });
  const backup = join(dir, 'backup');
  await run('backup-main.js', [backup], world.databaseUrl);

  const first = await run('restore-main.js', [backup]);
  const db = createDb({ url: postgres.url, poolSize: 1, onIdleError: () => undefined });
  expect(await db.job.findMany({ select: { id: true, tags: true, payload: true } })).toEqual([
    { id: 'kept', tags: ['a'], payload: { text } },
  ]);
  await expect(run('restore-main.js', [backup])).rejects.toThrow(/sessions use the database/);
  await db.$disconnect();
  await expect(run('restore-main.js', [backup])).rejects.toThrow(/The database is not empty/);
  const again = await run('restore-main.js', [backup, '--replace']);

  expect([first.stdout, again.stdout]).toEqual(Array(2).fill(expect.stringContaining('submitted_jobs: 1 rows')));
  expect(again.stdout).toContain('Start the apps with a new JWT_SECRET');
  await expect(run('restore-main.js', [])).rejects.toThrow(/usage: node/);
  await expect(run('backup-main.js', [backup], world.databaseUrl)).rejects.toThrow(/EEXIST/);
});

it('a restored backup has every finished job, runs the others, and sends no payment prompt again', async () => {
  const runs: string[] = [];
  const catalogue = createCatalogue([
    ...createCatalogue().values(),
    defineHandler({
      type: 'count',
      async run(_payload, { idempotencyKey }) {
        runs.push(idempotencyKey);
        return { at: runs.length };
      },
    }),
    defineHandler({
      type: 'hold',
      run: (_payload, { attempt, signal }) =>
        // The first attempt runs when the backup is made, and until its worker stops.
        new Promise((resolve) => (attempt > 1 ? resolve({ attempt }) : signal.addEventListener('abort', resolve))),
    }),
    defineHandler({ type: 'crunch', queue: 'cpu', run: async () => ({ crunched: true }) }),
  ]);
  const submitAll = (who: Person, type: string, count: number, more: object = {}) =>
    Promise.all(Array.from({ length: count }, (_, n) => submitJob(who, type, {}, { id: `${type}-${n}`, ...more })));

  // Given: finished, running, waiting and scheduled jobs, on a Postgres that has run for years.
  const api = await world.api({ redisUrl: redis.url, catalogue });
  const person = await register(api.call);
  const worker = await world.worker({ redisUrl: redis.url, catalogue, queues: ['io'] });
  await submitAll(person, 'count', 100);
  await submitAll(person, 'hold', 5);
  await submitAll(person, 'crunch', 20);
  const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
  await submitAll(person, 'later', 3, later);
  await submitJob(
    person,
    'mobile_money_stk',
    { phone: '254700000001', amount: 5, ref: 'a' },
    { id: 'money', ...later },
  );
  const inStatus = (db: Db, status: 'done' | 'processing') => db.job.count({ where: { status } });
  await until('jobs to be finished', async () => (await inStatus(world.db, 'done')) === 100);
  await until('jobs to run', async () => (await inStatus(world.db, 'processing')) === 5);
  await world.db.$executeRaw`UPDATE submitted_jobs SET xid = '4000000000'`;
  await world.db.$executeRaw`UPDATE job_logs SET xid = '4000000000'`;
  await world.db.$executeRaw`
    INSERT INTO webhook_events (org_id, type, data, is_planned, created_at, xid)
    VALUES (${person.orgId}::uuid, 'alert.raised', '{}', true, now(), '4000000000')`;
  const before = await person.get('/jobs/count-7/result');

  // When: a backup is made, more happens, and everything except the backup is lost.
  const backup = join(dir, 'backup');
  await run('backup-main.js', [backup], world.databaseUrl);
  await submitJob(person, 'count', {}, { id: 'too-late' });
  await finishedJob(person, 'too-late');
  await worker.stop(0);
  await migrate(postgres.url, MIGRATIONS);
  await loadBackup(postgres.url, backup, () => undefined);

  // Then: an app logs what is left to do, and afterwards everything continues.
  const { log, lines } = keepingLogger();
  const checks = checkStart({ databaseUrl: postgres.url, redisUrl: redis.url, prefix: world.prefix, log });
  await until('the log to report it', () => lines.some(({ message }) => message.includes('restored from a dump')));
  await checks.stop();
  const { stdout } = await run('restore-main.js', ['--restored']);
  expect(stdout).toMatch(/1 open jobs that must not run twice have failed; [1-9]\d* keys of queues were deleted/);
  const db = createDb({ url: postgres.url, poolSize: 2, onIdleError: () => undefined });
  expect(await isFromAnotherPostgres(db)).toBe(false);
  const orgId = person.orgId as OrgId; // from the API
  const now = await eventsNow(db);
  expect(await listEvents(db, orgId, now, 10)).toEqual({ events: [], isHeldBack: false });
  expect(await listWrittenEvents(db, orgId, { ...now, id: now.key }, 10)).toEqual({ events: [], isHeldBack: false });

  const place = { databaseUrl: postgres.url, redisUrl: redis.url, prefix: world.prefix, catalogue };
  const restored = await startApi(place);
  const again = await startTestWorker(place);
  const owner = { token: person.token };
  const get = (path: string) => restored.call('GET', path, owner);
  const stream = await readEvents(`${restored.url}/jobs/events`, owner);
  await until('all jobs to be finished', async () => (await inStatus(db, 'done')) === 125);

  expect((await get('/jobs/count-7/result')).body).toEqual(before.body);
  expect(runs).toHaveLength(101);
  expect((await get('/jobs/hold-0/result')).body.result).toEqual({ attempt: 2 });
  expect((await get('/jobs/later-0')).body.status).toBe('pending');
  expect((await get('/jobs/money/result')).body).toMatchObject({ status: 'failed', error: { code: 'unknown_effect' } });
  // A manual retry does not send a prompt either.
  expect((await restored.call('POST', '/jobs/money/retry', owner)).status).toBe(202);
  await until('the retry to end', async () => (await get('/jobs/money')).body.status === 'failed');
  expect((await get('/jobs/money/result')).body).toMatchObject({ error: { code: 'unknown_effect' } });
  expect(await db.payment.findMany()).toMatchObject([{ provider: 'unknown', status: 'calling' }]);
  expect((await get('/jobs/too-late')).status).toBe(404);
  const body = { id: 'too-late', type: 'count', payload: {} };
  expect((await restored.call('POST', '/jobs', { ...owner, body })).status).toBe(202);
  await until('the stream to contain it', () =>
    stream.events.some(({ data }) => data.id === 'too-late' && data.status === 'done'),
  );
  expect(stream.events.filter(({ data }) => /^count-/.test(data.id ?? data.job_id))).toEqual([]);

  await stream.close();
  await again.stop(0);
  await restored.stop();
  await db.$disconnect();
});
