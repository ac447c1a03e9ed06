import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey } from '../api/support.js';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { ROOT } from '../architecture/sources.js';
import { createWorld, type OwnRedis, register, startOwnRedis, type TestApi, type World } from '../harness/index.js';

const run = promisify(execFile);
/** Below it, Node finds the packages of the project. */
const CACHE = join(ROOT, 'node_modules/.cache');
const FILL = join(ROOT, 'test/bench/fill-queues.mjs');
/** The newest pg-boss and graphile-worker need a newer Node than the oldest that Jobline supports. */
const isNew = Number(process.versions.node.split('.')[0]) >= 24;
const onNode24 = isNew ? [] : [join(ROOT, 'test/harness/stack/on-node.mjs'), 'node24', 'node'];
const LATER = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 7_200_000).toISOString();

let world: World;
let api: TestApi;
let redis: OwnRedis;
let dir: string;
beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  redis = await startOwnRedis();
  mkdirSync(CACHE, { recursive: true });
  dir = mkdtempSync(join(CACHE, 'migrate-docs-'));
  await run(process.execPath, [...onNode24, FILL, world.databaseUrl, redis.url, LATER], { cwd: ROOT });
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await world.end();
  await redis.end();
});

it.each([
  {
    system: 'BullMQ',
    args: ['shop'],
    first: { max_retries: 0, priority: 9 },
    second: { id: 'bullmq-shop-order-2', max_retries: 4, priority: 6 },
    third: { max_retries: 1, priority: 9 },
  },
  {
    system: 'pg-boss',
    args: [],
    first: { max_retries: 2, priority: 0 },
    second: { max_retries: 5, priority: 3, key: 'c-7' },
    third: { max_retries: 1, priority: 0 },
  },
  {
    system: 'graphile-worker',
    args: [],
    first: { max_retries: 24, priority: 0 },
    second: { max_retries: 4, priority: 3, key: 'c-7' },
    third: { max_retries: 1, priority: 0 },
  },
])('the script of the page copies the waiting jobs of $system once', async ({ system, args, first, second, third }) => {
  const [script = ''] = codeBlocks(DOCS.migrate, `From ${system}`, 'js');
  const file = join(dir, `${system}.mjs`);
  writeFileSync(file, script);
  const person = await register(api.call);
  const env = {
    JOBLINE_URL: api.url,
    JOBLINE_API_KEY: (await newKey(person, 'migration', { scopes: ['jobs:write'] })).key,
    OLD_DATABASE_URL: world.databaseUrl,
    OLD_REDIS_URL: redis.url,
  };
  const copy = async () => (await run(process.execPath, [file, ...args], { env })).stdout;
  const copied = async () => {
    const rows = await world.db.job.findMany({ where: { orgId: person.orgId } });
    const jobs = rows.map(async ({ id, priority, runAt }) => {
      const { body } = await person.get(`/jobs/${id}`);
      return { ...body, priority, run_at: runAt.toISOString() };
    });
    return (await Promise.all(jobs)).sort((a, b) => a.payload.order - b.payload.order);
  };

  expect(await copy()).toMatch(/\b3 jobs\n$/);
  const jobs = await copied();
  expect(await copy()).toMatch(/\b3 jobs\n$/);

  expect(jobs).toMatchObject([
    { type: 'receipt', payload: { order: 1 }, ...first },
    { type: 'receipt', payload: { order: 2 }, run_at: LATER, ...second },
    { type: 'receipt', payload: { order: 3 }, ...third },
  ]);
  expect(await copied()).toEqual(jobs);
});
