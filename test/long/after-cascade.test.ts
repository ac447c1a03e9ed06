import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  createCall,
  createWorld,
  finishedJob,
  type OwnRedis,
  type Person,
  register,
  spawnApi,
  spawnWorker,
  startOwnRedis,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

/** How many thousands of jobs fail: half of them in chains of a thousand, half of them a thousand that wait for one. A shorter form: THOUSANDS=4. */
const THOUSANDS = Number(process.env.THOUSANDS ?? 100);
const MAX_MS_PER_THOUSAND = 5_000;
const PICKUPS = 200;
const HIGHEST_FACTOR = 2;

let world: World;
let redis: OwnRedis;
let handlers: string;
let api: AppProcess & { url: string };
let worker: AppProcess;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  handlers = mkdtempSync(join(tmpdir(), 'jobline-cascade-'));
  writeFileSync(join(handlers, 'noop.mjs'), "export default { type: 'noop', async run() { return { ok: true }; } };");
  const env = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, HANDLERS_DIR: handlers };
  api = await spawnApi(env);
  worker = await spawnWorker(env);
  person = await register(createCall(api.url));
});
afterEach(async () => {
  await Promise.all([api, worker].map((app) => app.kill('SIGTERM')));
  rmSync(handlers, { recursive: true });
  await world.end();
  await redis.end();
});

/** Stores jobs that wait for each other as the API would: the job n waits for the one that `cause` (SQL) computes from n. */
async function storeBlocked(name: string, count: number, cause: string): Promise<void> {
  await world.db.$executeRawUnsafe(
    `WITH n AS MATERIALIZED (SELECT n, gen_random_uuid() AS key, $2 || '-' || n AS id FROM generate_series(0, $3::int) AS n),
    s AS (
      INSERT INTO submitted_jobs (key, org_id, id, type, payload, created_at, refers)
      SELECT key, $1::uuid, id, 'noop', '{}', now(), CASE WHEN n > 0 THEN false END FROM n),
    l AS (
      INSERT INTO live_jobs (key, org_id, id, type, queue, priority, max_retries, run_at, place, enqueue_seq, created_at, updated_at, refers, is_awaited)
      SELECT key, $1::uuid, id, 'noop', 'io', 0, 0, now() + CASE n WHEN 0 THEN 1 ELSE 0 END * interval '1 day',
        (CASE n WHEN 0 THEN 'scheduled' ELSE 'blocked' END)::job_place, 0, now(), now(), CASE WHEN n > 0 THEN false END, true FROM n)
    INSERT INTO job_conditions (job_key, n, org_id, after_key, after_id, until, refers, created_at, id)
    SELECT w.key, 0, $1::uuid, a.key, a.id, 'done', false, now(), w.id FROM n AS w JOIN n AS a ON a.n = (${cause}) WHERE w.n > 0`,
    person.orgId,
    name,
    count,
  );
}

/** Cancels the first job, and returns how long it takes until all that wait for it have failed, in ms. */
async function failAll(name: string): Promise<number> {
  const startedAt = performance.now();
  expect(await person.post(`/jobs/${name}-0/cancel`)).toMatchObject({ status: 202 });
  await until('all jobs to fail', async () => (await world.db.liveJob.count({ where: { orgId: person.orgId } })) === 0);
  return Math.round(performance.now() - startedAt);
}

/** The times between the acceptance of jobs and the start of their attempts, in ms, in ascending order. */
async function pickups(other: Person): Promise<number[]> {
  const ids: string[] = [];
  for (let n = 0; n < PICKUPS; n++) {
    ids.push(await submitJob(other, 'noop', {}));
    await finishedJob(other, ids.at(-1) ?? '');
  }
  const jobs = await world.db.job.findMany({ where: { orgId: other.orgId, id: { in: ids } } });
  return jobs
    .map(({ createdAt, startedAt }) => (startedAt?.getTime() ?? 0) - createdAt.getTime())
    .sort((a, b) => a - b);
}

const p99 = (times: number[]) => times[Math.ceil(times.length * 0.99) - 1] ?? 0;

it.each([
  ['a chain', 'w.n - 1'],
  ['a tree with two branches at each job', 'w.n / 2'],
  ['a crowd that waits for one job', '0'],
])('%s of a thousand jobs fails within five seconds', async (_what, cause) => {
  await storeBlocked('job', 1_000, cause);

  const tookMs = await failAll('job');

  console.log(`a thousand jobs failed in ${tookMs} ms`);
  expect(tookMs).toBeLessThan(MAX_MS_PER_THOUSAND);
});

it('jobs fail within five seconds per thousand because of one, while another organization keeps its pace', async () => {
  const other = await register(createCall(api.url));
  // The first half: chains of a thousand, all after the first job. The second half: each thousandth job, and what waits for it.
  const half = (THOUSANDS / 2) * 1_000;
  await storeBlocked(
    'job',
    THOUSANDS * 1_000,
    `CASE WHEN w.n % 1000 = 1 THEN 0 WHEN w.n <= ${half} THEN w.n - 1 ELSE (w.n - 1) / 1000 * 1000 + 1 END`,
  );
  await world.db.$executeRaw`ANALYZE submitted_jobs, live_jobs, job_conditions`;
  const idle = await pickups(other);

  const [tookMs, busy] = await Promise.all([failAll('job'), pickups(other)]);

  console.log(
    `${THOUSANDS},000 jobs failed in ${tookMs} ms; pickup of another organization p99: idle ${p99(idle)} ms, meanwhile ${p99(busy)} ms`,
  );
  const failed = { orgId: person.orgId, errorCode: 'dependency_failed' };
  expect(await world.db.finishedJob.count({ where: failed })).toBe(THOUSANDS * 1_000);
  expect(tookMs).toBeLessThan(THOUSANDS * MAX_MS_PER_THOUSAND);
  expect(p99(busy)).toBeLessThanOrEqual(HIGHEST_FACTOR * p99(idle));
});
