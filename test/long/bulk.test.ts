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

/** A shorter form: JOBS=5000. */
const JOBS = Number(process.env.JOBS ?? 100_000);
/** With another speed than the usual one: PER_SECOND=10000. */
const SPEED = process.env.PER_SECOND ? { per_second: Number(process.env.PER_SECOND) } : {};
const PICKUPS = 200;

let world: World;
let redis: OwnRedis;
let handlers: string;
let apis: (AppProcess & { url: string })[];
let worker: AppProcess;

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  handlers = mkdtempSync(join(tmpdir(), 'jobline-bulk-'));
  writeFileSync(join(handlers, 'noop.mjs'), "export default { type: 'noop', async run() { return { ok: true }; } };");
  const env = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, HANDLERS_DIR: handlers };
  apis = await Promise.all([spawnApi(env), spawnApi(env)]);
  worker = await spawnWorker(env);
});
afterEach(async () => {
  await Promise.all([...apis, worker].map((app) => app.kill('SIGTERM')));
  rmSync(handlers, { recursive: true });
  await world.end();
  await redis.end();
});

async function storeFailed({ orgId }: Person): Promise<void> {
  await world.db.$executeRaw`
    WITH n AS MATERIALIZED (
      SELECT gen_random_uuid() AS key, now() - n * interval '1 ms' AS at FROM generate_series(1, ${JOBS}::int) AS n),
    s AS (
      INSERT INTO submitted_jobs (key, org_id, id, type, payload, created_at)
      SELECT key, ${orgId}::uuid, key::text, 'noop', '{}', at FROM n)
    INSERT INTO finished_jobs (key, org_id, id, type, queue, status, attempt, run_at, error_code, error_message, created_at, finished_at)
    SELECT key, ${orgId}::uuid, key::text, 'noop', 'io', 'failed', 1, at, 'handler_error', 'it failed', at, at FROM n`;
  await world.db.$executeRaw`ANALYZE submitted_jobs, finished_jobs`;
}

/** The times between the acceptance of jobs and the start of their attempts, in ms, in ascending order. */
async function pickups(person: Person): Promise<number[]> {
  const ids: string[] = [];
  for (let n = 0; n < PICKUPS; n++) {
    ids.push(await submitJob(person, 'noop', {}));
    await finishedJob(person, ids.at(-1) ?? '');
  }
  const jobs = await world.db.job.findMany({ where: { orgId: person.orgId, id: { in: ids } } });
  return jobs
    .map(({ createdAt, startedAt }) => (startedAt?.getTime() ?? 0) - createdAt.getTime())
    .sort((a, b) => a - b);
}

it('a bulk retry outlives the process that works on it, retries no job twice, and leaves the others their pace', async () => {
  const [first, second] = apis.map(({ url }) => createCall(url)) as [
    ReturnType<typeof createCall>,
    ReturnType<typeof createCall>,
  ];
  const person = await register(second);
  const other = await register(second);
  await storeFailed(person);
  const idle = await pickups(other);

  const startedAt = performance.now();
  const bulk = await person.post('/jobs/bulk', { action: 'retry', filter: { status: 'failed' }, ...SPEED });
  const acceptedMs = Math.round(performance.now() - startedAt);
  expect([bulk.status, bulk.body.total]).toEqual([202, JOBS]);
  const now = async () => (await person.get(`/jobs/bulk/${bulk.body.id}`)).body;
  await until('some jobs to be retried', async () => (await now()).done > 0);
  expect((await first('GET', '/readyz')).status).toBe(200);
  await apis[0]?.kill('SIGKILL');
  const busy = await pickups(other);
  await until('the action to finish', async () => (await now()).status === 'done');
  const tookMs = Math.round(performance.now() - startedAt);
  expect(await now()).toMatchObject({ total: JOBS, done: JOBS, skipped: 0, failed: 0 });
  await until(
    'all jobs to be done',
    async () => (await world.db.liveJob.count({ where: { orgId: person.orgId } })) === 0,
  );

  const attempts = await world.db.job.groupBy({
    by: ['attempt', 'status'],
    where: { orgId: person.orgId },
    _count: true,
  });
  expect(attempts).toEqual([{ attempt: 2, status: 'done', _count: JOBS }]);
  const percentiles = (times: number[]) =>
    [0.5, 0.99, 1].map((part) => times[Math.ceil(times.length * part) - 1]).join(', ');
  console.log(
    `${JOBS} jobs: accepted in ${acceptedMs} ms, retried in ${tookMs} ms; pickup of another organization p50, p99 and highest: ` +
      `idle ${percentiles(idle)} ms, meanwhile ${percentiles(busy)} ms`,
  );
});
