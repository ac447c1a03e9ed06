import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey } from '../api/support.js';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { ROOT } from '../architecture/sources.js';
import {
  type AppProcess,
  createWorld,
  type OwnRedis,
  register,
  spawnWorker,
  startOwnRedis,
  until,
  type World,
} from '../harness/index.js';
import { installPacked } from '../harness/packed.js';

const run = promisify(execFile);
const PAGE = DOCS.handlers;
const TITLE = 'A project in ten minutes';
/** The child must not belong to this test run. */
const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;

let dir: string;
let world: World;
let redis: OwnRedis;
let worker: AppProcess | undefined;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'jobline-own-type-'));
  world = await createWorld();
  redis = await startOwnRedis();
});
afterAll(async () => {
  await worker?.kill('SIGKILL');
  await redis.end();
  await world.end();
  await rm(dir, { recursive: true });
});

async function shell(command: string, more: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run('bash', ['-ec', command], { cwd: dir, env: { ...env, ...more } });
  return stdout;
}

/** Writes each block of the page in a language to the file that its first line names. */
async function writeFiles(language: string): Promise<string[]> {
  const names: string[] = [];
  for (const block of codeBlocks(PAGE, TITLE, language)) {
    const [, name = ''] = /^\/\/ (\S+)\n/.exec(block) ?? [];
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), block);
    names.push(name);
  }
  return names;
}

it('the page about the first own job type works as it is written, in an empty folder', async () => {
  const [, project = ''] = codeBlocks(PAGE, '1. A project', 'sh');
  const lines = project.split('\n');
  const installs = lines.filter((line) => line.startsWith('npm install'));
  expect(installs.join(' ')).toMatch(
    /jobline-handlers-[\d.]+\.tgz .*jobline-client-[\d.]+\.tgz zod .*typescript @types\/node$/,
  );
  await shell(lines.filter((line) => !installs.includes(line)).join('\n'));
  // From this project, so that no registry is asked.
  await installPacked(dir, ['handlers', 'client'], ['zod', '@types/node']);
  await symlink(join(ROOT, 'node_modules/typescript-native/bin/tsc'), join(dir, 'node_modules/.bin/tsc'));
  expect(await writeFiles('json')).toEqual(['tsconfig.json']);
  expect(await writeFiles('ts')).toHaveLength(4);

  const [testIt = ''] = codeBlocks(PAGE, '3. Its test', 'sh');
  expect(await shell(testIt)).toMatch(/pass 1\n/);

  const [startIt = ''] = codeBlocks(PAGE, '4. A worker', 'sh');
  const [, handlers = ''] = /^HANDLERS_DIR=(\S+) npm start/.exec(startIt) ?? [];
  const api = await world.api({ redisUrl: redis.url, prefix: 'jobline' });
  const settings = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, HANDLERS_DIR: join(dir, handlers) };
  worker = await spawnWorker({ ...settings, WORKER_QUEUES: 'io:5,cpu:1' });
  await until('the worker to register', () => world.db.worker.count());
  const { key } = await newKey(await register(api.call));
  const [submitIt = ''] = codeBlocks(PAGE, '5. A job', 'sh');
  expect(await shell(submitIt, { JOBLINE_URL: api.url, JOBLINE_API_KEY: key })).toBe('done 3 2\ndone\n');
  await worker.kill('SIGTERM');
  expect(worker.output()).not.toContain('"level":"error"');
});
