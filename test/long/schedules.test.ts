import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  createCall,
  createWorld,
  type OwnRedis,
  type Person,
  register,
  spawnApi,
  spawnWorker,
  startOwnRedis,
  until,
  type World,
} from '../harness/index.js';

/** A shorter form: SCHEDULES=20 SECONDS=40. */
const SCHEDULES = Number(process.env.SCHEDULES ?? 200);
const SECONDS = Number(process.env.SECONDS ?? 300);
const PERIOD_S = 5;
const KILL_EVERY_S = 20;
const FLUSH_EVERY_S = 60;

let world: World;
let redis: OwnRedis;
let handlers: string;
let apis: (AppProcess & { url: string })[];
let workers: AppProcess[];
let env: Record<string, string>;

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  handlers = mkdtempSync(join(tmpdir(), 'jobline-schedules-'));
  writeFileSync(join(handlers, 'noop.mjs'), "export default { type: 'noop', async run() { return { ok: true }; } };");
  env = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, WORKER_LEASE_MS: '3000', HANDLERS_DIR: handlers };
  apis = await Promise.all([spawnApi(env), spawnApi(env)]);
  workers = await Promise.all([spawnWorker(env), spawnWorker(env)]);
});
afterEach(async () => {
  await Promise.all([...apis, ...workers].map((app) => app.kill('SIGTERM')));
  rmSync(handlers, { recursive: true });
  await world.end();
  await redis.end();
});

async function createSchedules(person: Person): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < SCHEDULES; n++) {
    const body = { name: `n${n}`, every_seconds: PERIOD_S, type: 'noop', payload: { n }, missed: 'run_all' };
    ids.push((await person.post('/schedules', body)).body.id);
  }
  return ids;
}

async function causeFaults(): Promise<void> {
  for (let second = 1; second <= SECONDS; second++) {
    await pause(1_000);
    if (second % FLUSH_EVERY_S === 0) await redis.flushAll();
    if (second % KILL_EVERY_S === 0) {
      await workers.shift()?.kill('SIGKILL');
      workers.push(await spawnWorker(env));
    }
  }
}

interface Made {
  scheduleId: string;
  plannedAt: Date;
  createdAt: Date;
}

function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

it('each planned time makes exactly one job, while workers die and Redis loses its data', async () => {
  const person = await register(createCall(apis[0]?.url ?? ''));
  const ids = await createSchedules(person);
  const first = await world.db.schedule.findMany({ select: { id: true, nextRunAt: true } });
  await causeFaults();
  for (const id of ids) await person.patch(`/schedules/${id}`, { enabled: false });
  const pausedAt = Date.now();
  const isLeft = () => world.db.liveJob.count();
  await until('all jobs to be finished', async () => (await isLeft()) === 0);

  const made = await world.db.$queryRaw<Made[]>`
    SELECT schedule_id AS "scheduleId", planned_at AS "plannedAt", created_at AS "createdAt" FROM submitted_jobs
    ORDER BY planned_at`;
  for (const { id, nextRunAt } of first) {
    const times = made.filter(({ scheduleId }) => scheduleId === id).map(({ plannedAt }) => plannedAt.getTime());
    const start = nextRunAt?.getTime() ?? 0;
    expect(times).toEqual(times.map((_, n) => start + n * PERIOD_S * 1_000));
    expect(times.length).toBeGreaterThanOrEqual(SECONDS / PERIOD_S - 1);
    expect(times.at(-1)).toBeLessThanOrEqual(pausedAt);
  }
  expect(await world.db.finishedJob.count({ where: { status: 'done' } })).toBe(made.length);

  const lateMs = made.map(({ plannedAt, createdAt }) => createdAt.getTime() - plannedAt.getTime());
  lateMs.sort((a, b) => a - b);
  const report = { jobs: made.length, p50: percentile(lateMs, 0.5), p99: percentile(lateMs, 0.99), max: lateMs.at(-1) };
  console.log(JSON.stringify({ schedules: SCHEDULES, seconds: SECONDS, latenessMs: report }));
}, 1_200_000);
