import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { installPacked } from '../harness/packed.js';

const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc');
const run = promisify(execFile);

const HANDLER = `
import { defineHandler, PermanentError, RetryLater } from '@jobline/handlers';
import Joi from 'joi';

export default defineHandler<{ name: string; after?: number }>({
  type: 'greet',
  schema: Joi.object({ name: Joi.string().required(), after: Joi.number() }),
  async run({ name, after }, { log, attempt, saveArtifact }) {
    if (name === 'Anonymous') throw new PermanentError('a real name is required');
    if (after !== undefined && attempt === 1) throw new RetryLater(after, 'not yet');
    log('info', \`greeting \${name.toUpperCase()}\`);
    await saveArtifact({ name: 'a.txt', contentType: 'text/plain', bytes: new TextEncoder().encode(name) });
    return { greeting: \`Hello, \${name}\` };
  },
});
`;
const ITS_TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHandler } from '@jobline/handlers/testing';
import greet from './greet.js';

test('the handler greets a person by name', async () => {
  const { result, logs, artifacts } = await runHandler(greet, { name: 'Ada' });
  assert.deepEqual(result, { greeting: 'Hello, Ada' });
  assert.equal(logs[0]?.message, 'greeting ADA');
  assert.equal(artifacts.length, 1);
  await assert.rejects(runHandler(greet, { name: 'Anonymous' }), /a real name is required/);
  await assert.rejects(runHandler(greet, { name: 'Ada', after: 5 }), { name: 'RetryLater', delayMs: 5 });
});

// @ts-expect-error: the payload has no name
void (() => runHandler(greet, {}));
`;

let dir: string;
let paths: string[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'jobline-handlers-'));
  paths = (await installPacked(dir, ['handlers']))[0]?.paths ?? [];
});
afterAll(() => rm(dir, { recursive: true }));

it('the package of the handlers has the built code with its types, the license, and the shared names', async () => {
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/testing.d.ts']));
  const bundled = 'node_modules/@jobline/contracts';
  const known =
    /^((node_modules\/@jobline\/contracts\/)?(package\.json|dist\/[\w/-]+(\.d\.ts|\.js))|LICENSE|README\.md)$/;
  expect(paths.filter((path) => !known.test(path))).toEqual([]);
  expect(paths).toContain(`${bundled}/dist/index.js`);
  expect(paths.filter((path) => path.includes('.test.'))).toEqual([]);

  const [manifest, root] = await Promise.all(
    ['packages/handlers/package.json', 'package.json'].map(async (path) =>
      JSON.parse(await readFile(join(ROOT, path), 'utf8')),
    ),
  );
  expect(manifest).toMatchObject({ version: root.version, license: root.license });
  expect(manifest.private).toBeUndefined();
});

it('in an empty folder a typed handler and its test compile, and the test passes', async () => {
  await writeFile(join(dir, 'greet.ts'), HANDLER);
  await writeFile(join(dir, 'greet.test.ts'), ITS_TEST);
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  const target = ['--target', 'es2023', '--module', 'nodenext', '--outDir', 'built'];
  const compiled = run(process.execPath, [TSC, '--strict', ...target, ...types, 'greet.test.ts'], { cwd: dir });
  expect(await compiled.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });

  // The child must not belong to this test run.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const { stdout } = await run(process.execPath, ['--test', 'built/greet.test.js'], { cwd: dir, env });
  expect(stdout).toMatch(/pass 1\n/);
});
