import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey } from '../api/support.js';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { ROOT } from '../architecture/sources.js';
import { createWorld, type Person, register, type TestApi, type World } from '../harness/index.js';

const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc');
/** Below it, Node and the compiler find the packages of the project. */
const CACHE = join(ROOT, 'node_modules/.cache');
/** The examples of the page continue each other. */
const examples = codeBlocks(DOCS.client, 'Client', 'ts').join('\n');

let world: World;
let api: TestApi;
let person: Person;
let dir: string;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.worker({ queues: ['cpu'] }); // sends nothing to the outside world
  person = await register(api.call);
  mkdirSync(CACHE, { recursive: true });
  dir = mkdtempSync(join(CACHE, 'client-docs-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await world.end();
});

it('the examples of the page about the client compile', async () => {
  const file = join(dir, 'examples.mts');
  writeFileSync(file, examples);
  const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  const compiled = promisify(execFile)(process.execPath, [TSC, ...options, file], { cwd: dir });

  expect(await compiled.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
});

it('the examples of the page about the client run as they are', async () => {
  const file = join(dir, 'examples.mjs');
  const { outputText } = ts.transpileModule(examples, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  writeFileSync(file, outputText);
  const { key } = await newKey(person);
  const { email, password } = person;
  const env = { JOBLINE_URL: api.url, JOBLINE_API_KEY: key, EMAIL: email, PASSWORD: password };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: dir, env });

  expect(stdout).toMatch(/^done \{\s+summary: /);
  expect(stdout).toContain('\nattempt 1 started\n');
  expect(stdout).toContain('2500 jobs\n');
  expect(stdout).toContain('not_found 404 []');
  expect((await person.get('/org/domains')).body).toMatchObject([{ domain: 'example.com' }]);
});
