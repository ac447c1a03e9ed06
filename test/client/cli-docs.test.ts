import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey } from '../api/support.js';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { createWorld, register, type World } from '../harness/index.js';
import { JOBLINE } from './cli-process.js';

let world: World;
let dir: string;

beforeAll(async () => {
  world = await createWorld();
  dir = mkdtempSync(join(tmpdir(), 'jobline-cli-docs-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await world.end();
});

it('the examples of the page about the command run as they are', async () => {
  const api = await world.api();
  await world.worker({ queues: ['cpu'] }); // sends nothing to the outside world
  const { key } = await newKey(await register(api.call));
  writeFileSync(join(dir, 'jobline'), `#!/bin/sh\nexec "${process.execPath}" "${JOBLINE}" "$@"\n`);
  chmodSync(join(dir, 'jobline'), 0o755);
  const env = { PATH: `${dir}:${process.env.PATH}`, JOBLINE_URL: api.url, JOBLINE_API_KEY: key };
  const script = codeBlocks(DOCS.cli, 'Examples', 'sh').join('\n');

  const { stdout, stderr } = await promisify(execFile)('sh', ['-e', '-c', script], { env });

  expect(stderr).toBe('');
  expect(stdout).toMatch(/^done\n.*attempt 1 started\n/);
  expect(stdout).toMatch(/\nreport-1\nreport-1 {2}failed\nID +TYPE.*\nreport-1 +generate_pdf +failed/);
  expect(stdout).toMatch(/\n1 job matches\.\n\{"accepted":2,"ids":\["[\w-]+","[\w-]+"\]\}\n$/);
});
