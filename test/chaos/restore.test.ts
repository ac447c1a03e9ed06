import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OrgId } from '@jobline/contracts';
import { createDb, type Db, eventsNow, isFromAnotherPostgres, listEvents } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { type Server, startPostgres } from '@jobline/devstack';
import { checkStart } from '@jobline/engine';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepingLogger } from '../api/support.js';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
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
/** The statements that an operator runs after a restore, exactly as documented. */
const STATEMENTS = codeBlocks(DOCS.restore, 'Restore', 'sql').join('').split(/;$/m).slice(0, -1);

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

type Dump = { table: string; rows: string }[];

/** A snapshot of all rows, as `pg_dump` makes it, which not every machine has. */
function dumpOf(db: Db): Promise<Dump> {
  return db.$transaction(
    async (session) => {
      const tables = await session.$queryRaw<{ name: string }[]>`
        SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`;
      const dump: Dump = [];
      for (const { name } of tables) {
        const [row] = await session.$queryRawUnsafe<{ rows: string }[]>(
          `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM "${name}" t`,
        );
        dump.push({ table: name, rows: row?.rows ?? '[]' });
      }
      return dump;
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

/** The columns of a table that a dump contains. Postgres computes the others. */
async function storedColumns(session: Pick<Db, '$queryRaw'>, table: string): Promise<string> {
  const rows = await session.$queryRaw<{ name: string }[]>`
    SELECT attname AS name FROM pg_attribute
    WHERE attrelid = to_regclass(${table}) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;
  return rows.map(({ name }) => `"${name}"`).join();
}

/** Does what `pg_restore` does: it checks and computes nothing again, and sequences continue where they were. */
async function restore(db: Db, dump: Dump): Promise<void> {
  await db.$transaction(async (session) => {
    await session.$executeRaw`SET LOCAL session_replication_role = replica`;
    for (const { table, rows } of dump) {
      // Deletes the rows that migrations inserted: pg_restore creates the tables itself.
      await session.$executeRawUnsafe(`DELETE FROM "${table}"`);
      const columns = await storedColumns(session, table);
      const all = `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::"${table}", $1::json)`;
      await session.$executeRawUnsafe(all, rows);
    }
    await session.$executeRaw`
      SELECT setval(pg_get_serial_sequence('job_logs', 'id'), (SELECT max(id) FROM job_logs))`;
  });
}

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
  const before = await person.get('/jobs/count-7/result');

  // When: a backup is made, more happens, and everything except the backup is lost.
  const dump = await dumpOf(world.db);
  await submitJob(person, 'count', {}, { id: 'too-late' });
  await finishedJob(person, 'too-late');
  await worker.stop(0);
  await redis.flushAll();
  await migrate(postgres.url, MIGRATIONS);
  const db = createDb({ url: postgres.url, poolSize: 2, onIdleError: () => undefined });
  await restore(db, dump);

  // Then: an app logs what is left to do, and afterwards everything continues.
  const { log, lines } = keepingLogger();
  const checks = checkStart({ databaseUrl: postgres.url, redisUrl: redis.url, prefix: world.prefix, log });
  await until('the log to report it', () => lines.some(({ message }) => message.includes('restored from a dump')));
  await checks.stop();
  expect(STATEMENTS).toHaveLength(5);
  for (const statement of STATEMENTS) await db.$executeRawUnsafe(statement);
  expect(await isFromAnotherPostgres(db)).toBe(false);
  const orgId = person.orgId as OrgId; // from the API
  expect(await listEvents(db, orgId, await eventsNow(db), 10)).toEqual({ events: [], isHeldBack: false });

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
