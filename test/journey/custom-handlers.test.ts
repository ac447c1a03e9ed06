import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import {
  type AppProcess,
  createWorld,
  finishedJob,
  linesOf,
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

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const stripsTypes = 'typescript' in process.features && Boolean(process.features.typescript);
const NO_TYPESCRIPT =
  `Node ${process.versions.node} cannot run TypeScript: run the worker with Node 22.18 or newer, ` +
  'or compile the file to JavaScript';

let ends: (() => Promise<unknown>)[];
beforeEach(() => {
  ends = [];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

/** The documented examples of a handler and of its test. */
function examples(): string[] {
  return codeBlocks(DOCS.handlers, 'One file', 'js');
}

async function folder(files: Record<string, string>, parent = tmpdir()): Promise<string> {
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, 'jobline-test-handlers-'));
  ends.push(() => rm(dir, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

async function worker(env: Record<string, string>): Promise<AppProcess> {
  const started = await spawnWorker({ WORKER_LEASE_MS: '2000', ...env });
  ends.push(() => started.kill('SIGKILL'));
  return started;
}

describe('custom handlers in a folder outside the workspace', () => {
  let world: World;
  let redis: OwnRedis;
  let person: Person;

  beforeEach(async () => {
    world = await createWorld();
    ends.push(world.end);
    redis = await startOwnRedis();
    ends.push(redis.end);
    person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
  });

  const startWorker = (...dirs: string[]) =>
    worker({ DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, HANDLERS_DIR: dirs.join(',') });

  it('a handler runs exactly as documented', async () => {
    const [handler = ''] = examples();
    await startWorker(await folder({ 'greet.mjs': handler }));

    await until('the worker to register', () => world.db.worker.count());
    const story = await runToEnd(person, 'greet', { name: 'Ada' });
    expect(story.job).toMatchObject({ status: 'done' });
    expect(story.result.result).toEqual({ greeting: 'Hello, Ada' });
    expect(linesOf(story)[1]).toBe('1 info greeting Ada');

    // The API knows only what the worker has published.
    const rejected = await person.post('/jobs', { type: 'greet', payload: {} });
    expect(rejected.status).toBe(400);
    expect(rejected.body.error.details).toEqual([{ path: 'payload.name', message: '"payload.name" is required' }]);
    const anonymous = await runToEnd(person, 'greet', { name: 'Anonymous' }, { max_retries: 2 });
    expect(anonymous.job).toMatchObject({ status: 'failed', retries: 0 });
  });

  it('handlers are found in several folders, need no import, and use the queues that they name', async () => {
    const first = await folder({
      'plain.js': "const { text } = require('./_text.js'); module.exports = { type: 'plain', run: () => text };",
      '_text.js': "module.exports = { text: 'plain' };",
      'lib/other.mjs': 'throw new Error("files of subfolders are not handlers")',
      'shapes.d.ts': 'export interface Shape {}',
      'plain.test.mjs': 'throw new Error("tests are not handlers")',
      '.hidden.mjs': 'throw new Error("hidden files are not loaded")',
      'notes.txt': 'not a module',
    });
    const second = await folder({
      'heavy.mjs':
        "export const type = 'heavy'; export const queue = 'my-queue'; export async function run() { return 'heavy'; }",
    });
    const empty = await folder({ 'lib/other.mjs': '', '_text.js': '' });
    const own = await startWorker(first, second, empty);
    await until('the worker to register', () => world.db.worker.count());

    const warnings = own
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message.includes('HANDLERS_DIR'));
    expect(warnings).toMatchObject([
      { level: 'warn', message: 'this folder of HANDLERS_DIR has no handler', dir: empty },
    ]);
    expect((await runToEnd(person, 'plain', {})).result.result).toBe('plain');
    const id = await submitJob(person, 'heavy', {});
    expect((await world.db.job.findFirstOrThrow({ where: { id } })).queue).toBe('my-queue');
    expect((await finishedJob(person, id)).result.result).toBe('heavy');
  });

  it('a TypeScript handler runs if Node strips types, and otherwise the worker says what to do', async () => {
    const dir = await folder({
      'typed.ts': "const text: string = 'typed'; export default { type: 'typed', run: () => text };",
    });
    const own = await startWorker(dir);
    if (!stripsTypes) {
      await own.ended;
      expect(own.output()).toContain(`HANDLERS_DIR: ${join(dir, 'typed.ts')}: ${NO_TYPESCRIPT}`);
      return;
    }
    await until('the worker to register', () => world.db.worker.count());
    expect((await runToEnd(person, 'typed', {})).result.result).toBe('typed');
  });
});

it('the documented test of a handler passes inside the clone', async () => {
  const [handler = '', itsTest = ''] = examples();
  const dir = await folder({ 'greet.mjs': handler, 'greet.test.mjs': itsTest }, join(ROOT, '.jobline'));

  // The child must not belong to this test run: a developer would run it alone.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', join(dir, 'greet.test.mjs')], { env });

  expect(stdout).toMatch(/pass 1\n/);
});

it('a worker with invalid handlers does not start, connects to nothing and lists every issue', async () => {
  const dir = await folder({
    'a-good.mjs': "export default { type: 'mine', run() {} };",
    'again.mjs': "export default { type: 'mine', run() {} };",
    'built-in.mjs': "export default { type: 'webhook', run() {} };",
    'enum.ts': "export default { type: 'e', run() {} };\nexport enum Color { Red }",
    'no-type.mjs': 'export default { run() {} };',
    'queue.mjs': "export default { type: 'q', queue: 'events', retries: 3, run() {} };",
    'syntax.mjs': 'export default {',
    'throws.mjs': "throw new Error('not today');",
  });
  const own = await worker({
    DATABASE_URL: 'postgresql://unknown@127.0.0.1:1/nothing',
    REDIS_URL: 'redis://127.0.0.1:1',
    HANDLERS_DIR: `${dir},${join(dir, 'missing')}`,
  });

  await own.ended;

  const [title, ...issues] = own.output().trim().split('\n');
  expect(title).toBe('the configuration has 9 issues:');
  expect(issues.map((issue) => issue.replaceAll(`${dir}/`, ''))).toEqual([
    expect.stringMatching(/^ {2}HANDLERS_DIR: missing: .*ENOENT/),
    '  HANDLERS_DIR: again.mjs: the type "mine" already has a handler: a-good.mjs',
    '  HANDLERS_DIR: built-in.mjs: the type "webhook" already has a handler: the built-in one',
    stripsTypes
      ? '  HANDLERS_DIR: enum.ts: SyntaxError: TypeScript enum is not supported in strip-only mode (line 2)'
      : `  HANDLERS_DIR: enum.ts: ${NO_TYPESCRIPT}`,
    '  HANDLERS_DIR: no-type.mjs: "type" is required',
    '  HANDLERS_DIR: queue.mjs: "queue" must not be "events": this queue is reserved for deliveries of events',
    '  HANDLERS_DIR: queue.mjs: "retries" is not allowed',
    expect.stringMatching(/^ {2}HANDLERS_DIR: syntax\.mjs: SyntaxError: /),
    '  HANDLERS_DIR: throws.mjs: Error: not today',
  ]);
});
