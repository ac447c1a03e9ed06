import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { createWorld, type World } from '../harness/index.js';

const CURL = fileURLToPath(new URL('stubs/curl.mjs', import.meta.url));

let world: World;
let dir: string;
beforeEach(async () => {
  world = await createWorld();
  dir = mkdtempSync(join(tmpdir(), 'jobline-readme-'));
});
afterEach(async () => {
  await world.end();
  rmSync(dir, { recursive: true });
});

/** Runs the lines as if a person pasted them into a shell. Returns their output and the status of each response. */
async function runExamples(script: string): Promise<{ output: string; statuses: string[] }> {
  const statusFile = join(dir, 'statuses');
  writeFileSync(join(dir, 'curl'), `#!/bin/sh\nexec "${process.execPath}" "${CURL}" "$@"\n`);
  chmodSync(join(dir, 'curl'), 0o755);
  const env = { ...process.env, PATH: `${dir}:${process.env.PATH}`, STATUS_FILE: statusFile };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { env });
  return { output: stdout, statuses: readFileSync(statusFile, 'utf8').trim().split('\n') };
}

it('the curl examples of the first page and of the API page run as they are, and each of them succeeds', async () => {
  const api = await world.api();
  await world.worker({ queues: ['cpu'] }); // sends nothing to the outside world
  // The examples of the API page continue those of the first page.
  const script = [...codeBlocks(DOCS.start, 'A job with curl', 'sh'), ...codeBlocks(DOCS.api, 'Examples', 'sh')].join(
    '\n',
  );
  expect(script).toContain('BASE=http://localhost:3000\n');

  const { output, statuses } = await runExamples(script.replace('http://localhost:3000', api.url));

  expect(statuses.filter((status) => !status.startsWith('2'))).toEqual([]);
  expect(statuses).toHaveLength(script.match(/curl -/g)?.length ?? 0);
  expect(output).toContain('{"id":"order-1001","status":"pending"}');
  expect(output).not.toContain('undefined');
});
