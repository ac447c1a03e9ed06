import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, type Db } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { pause } from '@jobline/runtime';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeProviders, startFakeProviders } from '../containers/fake-providers.js';
import { withTable } from '../growth/report.js';
import { createCall, register, until } from '../harness/index.js';
import { chart } from '../soak/chart.js';
import { type Fleet, startFleet } from '../soak/fleet.js';
import { startLoad } from '../soak/load.js';
import { BATCH_SIZE, batchFor } from '../soak/mix.js';
import { growing, table } from '../soak/report.js';
import { entriesIn, type Sample, takeSample } from '../soak/sample.js';
import { type Servers, startServers } from './faults/servers.js';

/** A shorter form: SOAK_JOBS=50000 SOAK_MINUTES=5. */
const JOBS = Number(process.env.SOAK_JOBS ?? 1_000_000);
const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
/** With SOAK_WRITE=1 the table and the plot are written here. */
const DOCUMENT = new URL('../../docs/architecture/soak.md', import.meta.url);
const PLOT = new URL('../../docs/architecture/soak.svg', import.meta.url);
const TEST_MS = 3 * 3_600_000;
const ROWS = 12;
/** A process is replaced after each of them. */
const SAMPLES = Math.max(4, MINUTES);
const NO_LIMIT = '1000000000';
/** Why a job may fail although every provider answers: a worker died while it sent a payment prompt. */
const ALLOWED_ERRORS = ['unknown_effect'];

let servers: Servers;
let providers: FakeProviders;
let fleet: Fleet;
let db: Db;
let redis: Redis;
let handlers: string;

beforeEach(async () => {
  servers = await startServers({});
  providers = await startFakeProviders('127.0.0.1');
  handlers = mkdtempSync(join(tmpdir(), 'jobline-soak-'));
  writeFileSync(join(handlers, 'noop.mjs'), "export default { type: 'noop', async run() { return { ok: true }; } };");
  const { url } = await servers.createDatabase();
  await migrate(url, new URL('../../prisma/migrations', import.meta.url).pathname);
  db = createDb({ url, poolSize: 1, onIdleError: () => undefined });
  redis = new Redis(servers.redisUrl);
  fleet = await startFleet({
    DATABASE_URL: url,
    REDIS_URL: servers.redisUrl,
    HANDLERS_DIR: handlers,
    JWT_SECRET: 'a secret of the tests, long enough for HS256',
    RATE_LIMIT_SUBMIT_PER_S: NO_LIMIT,
    RATE_LIMIT_SUBMIT_BYTES_PER_S: NO_LIMIT,
    RATE_LIMIT_JOB_SENDS_PER_MIN: NO_LIMIT,
    ...providers.settings,
  });
});
afterEach(async () => {
  await fleet.end();
  await db.$disconnect();
  redis.disconnect();
  await providers.close();
  await servers.end();
  rmSync(handlers, { recursive: true });
});

it(
  'memory, connections, open files and tables do not grow while processes are replaced',
  async () => {
    const person = await register(createCall(fleet.steadyApi.url));
    await person.post('/org/sender-ids', { sender_id: 'ACME' });
    const batches = Math.ceil(JOBS / BATCH_SIZE);
    const { urls, steadyApi, steadyWorker } = fleet;
    const everyMs = (MINUTES * 60_000) / batches;
    const load = startLoad({ urls, token: person.token, batch: batchFor(providers), batches, everyMs });

    const startedAt = performance.now();
    const samples: Sample[] = [];
    const sources = { db, redis, apiPid: steadyApi.pid, workerPid: steadyWorker.pid };
    for (let n = 1; n <= SAMPLES; n++) {
      await pause(Math.max(0, startedAt + (n * MINUTES * 60_000) / SAMPLES - performance.now()));
      const sample = await takeSample(sources, startedAt);
      samples.push(sample);
      console.log(table([sample], 1).split('\n').at(-1));
      providers.forget();
      await fleet.replaceNext();
    }
    await load.done;
    expect(load.unexpected).toEqual([]);
    await until('all jobs to finish', async () => (await db.liveJob.count()) === 0);
    await until('Redis to be empty', async () => (await entriesIn(redis)).length === 0);

    const ends = await db.$queryRaw<{ status: string; error: string | null; count: number }[]>`
      SELECT status::text, error_code AS error, count(*)::int AS count FROM finished_jobs GROUP BY 1, 2 ORDER BY 1, 2`;
    const text = `${table(samples, ROWS)}\n\nProcesses replaced: ${fleet.replaced()}. Requests repeated after a 503 or without a response: ${load.repeated()}.`;
    console.log(text);
    console.table(ends);
    if (process.env.SOAK_WRITE === '1') {
      writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), text));
      const title = `${(batches * BATCH_SIZE).toLocaleString('en')} jobs in ${MINUTES} minutes`;
      writeFileSync(PLOT, chart(samples, title));
    }
    expect(growing(samples)).toEqual([]);
    expect(ends.reduce((sum, { count }) => sum + count, 0)).toBe(batches * BATCH_SIZE);
    for (const { status, error } of ends) if (status !== 'done') expect(ALLOWED_ERRORS).toContain(error);
  },
  TEST_MS,
);
