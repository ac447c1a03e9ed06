import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../api/support.js';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { ROOT } from '../architecture/sources.js';
import { createWorld, register, type World } from '../harness/index.js';
import { installPacked } from '../harness/packed.js';

const CLIENT = join(ROOT, 'packages/client');
const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc');
const manifest = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'));
const [example = ''] = codeBlocks('packages/client/README.md', manifest.name, 'ts');
const run = promisify(execFile);

let dir: string;
/** The paths in the package. */
let packed: string[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-client-'));
  packed = (await installPacked(dir, ['client']))[0]?.paths ?? [];
});
afterAll(() => rmSync(dir, { recursive: true }));

describe('the package', () => {
  it('has the built code with its types, the license and the README, and nothing else', () => {
    expect(packed).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
    );
    const others = packed.filter(
      (path) => !/^(LICENSE|README\.md|package\.json|bin\/jobline\.mjs|dist\/[\w/-]+(\.d\.ts|\.js))$/.test(path),
    );
    expect(others).toEqual([]);
    expect(packed.filter((path) => path.includes('.test.'))).toEqual([]);
  });

  it('has the license and the version of the project, and needs exact versions of public packages', () => {
    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

    expect(manifest).toMatchObject({ version: root.version, license: root.license, sideEffects: false });
    expect(manifest.private).toBeUndefined();
    expect(readFileSync(join(CLIENT, 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect(name).not.toMatch(/^@jobline\//);
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });
});

describe('in an empty project', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.end());

  it('at most ten lines lead from the import to a finished job', async () => {
    const api = await world.api();
    await world.worker({ queues: ['cpu'] });
    const { key } = await newKey(await register(api.call));
    writeFileSync(join(dir, 'example.js'), example);
    const env = { JOBLINE_URL: api.url, JOBLINE_API_KEY: key };
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: dir, env });

    expect(stdout).toMatch(/^done \{\s+summary: /);
    expect(example.split('\n').length).toBeLessThanOrEqual(10);
    expect(codeBlocks(DOCS.client, 'A job in a few lines', 'ts')).toEqual([example]);
    expect(codeBlocks(DOCS.readme, 'A job in ten lines', 'ts')).toEqual([example]);
  });

  it('the command can be run', async () => {
    const { stdout } = await run(join(dir, 'node_modules/.bin/jobline'), ['--version'], { cwd: dir });

    expect(stdout).toBe(`${manifest.version}\n`);
  });

  it.each([
    [
      'with the types of Node',
      ['--lib', 'es2023', '--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')],
    ],
    ['with the types of a browser', ['--lib', 'es2023,dom', '--types', '']],
  ])('the same lines compile %s', async (types, options) => {
    // A page has no environment.
    const text = types.includes('browser') ? example.replaceAll(/process\.env\.\w+/g, "''") : example;
    writeFileSync(join(dir, 'example.ts'), text);
    const args = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', ...options, 'example.ts'];
    const compiled = run(process.execPath, [TSC, ...args], { cwd: dir });

    expect(await compiled.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
  });

  it('the library loads none of the packages of the command', async () => {
    for (const name of ['commander', 'cli-progress', 'cli-table3'])
      rmSync(join(dir, 'node_modules', name), { recursive: true });

    await run(process.execPath, ['--eval', "import('@jobline/client')"], { cwd: dir });
  });
});
