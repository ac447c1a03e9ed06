import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFreePort } from '@jobline/devstack';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { ROOT } from '../architecture/sources.js';
import { createCall } from '../harness/index.js';
import { until } from '../harness/until.js';

const SCRIPT = fileURLToPath(new URL('stubs/start-own.mjs', import.meta.url));

let dir: string;
let port: number;
let running: Start | undefined;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-restore-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  port = await findFreePort();
});
afterEach(async () => {
  await running?.stop();
  rmSync(dir, { recursive: true, force: true });
});

it('the commands of the page restore a backup of npm start into another folder, with its jobs and its login', async () => {
  const call = createCall(`http://127.0.0.1:${port}`);
  const lines = codeBlocks(DOCS.restore, 'With `npm start`', 'sh').join('\n').replaceAll('.jobline', dir).split('\n');
  running = await begin(dir);
  const account: Record<string, string> = JSON.parse(readFileSync(join(dir, 'demo.json'), 'utf8'));
  const { email, password, apiKey = '' } = account;
  const jobs = async () => (await call('GET', '/jobs?limit=1000', { key: apiKey })).body;
  const before = await jobs();
  expect(before.length).toBeGreaterThan(10);

  const outputs: string[] = [];
  for (const line of lines) {
    const [, folder, args = ''] = /^DATA_DIR=(\S+) npm start *(?:-- )?(--\w+)?/.exec(line) ?? [];
    if (folder) {
      await running.stop();
      running = await begin(folder, args ? [args] : []);
      outputs.push(running.output());
    } else {
      const { stdout } = await promisify(execFile)('sh', ['-ec', `${line}\n[ -z "$DATABASE_URL" ]`], {
        cwd: ROOT,
        env: { PATH: process.env.PATH },
      });
      outputs.push(stdout);
    }
  }

  const [backup, servers, restore, , last] = outputs;
  expect(backup).toContain(`live_jobs: 0 rows\n`);
  expect(servers).toContain('Postgres and Redis are running, without the API and a worker.');
  expect(restore).toContain(`finished_jobs: ${before.length} rows\n`);
  expect(last).toContain(`  API key     ${apiKey}\n`);
  expect((await call('POST', '/auth/login', { body: { email, password } })).status).toBe(200);
  expect(await jobs()).toEqual(expect.arrayContaining(before));
});

interface Start {
  output(): string;
  stop(): Promise<void>;
}

/** `npm start` with the real apps. Resolves when it is ready. */
async function begin(dataDir: string, args: string[] = []): Promise<Start> {
  const { npm_lifecycle_event: _, ...ours } = process.env;
  const env = { ...ours, DATABASE_URL: '', REDIS_URL: '', PORT: String(port), DATA_DIR: dataDir };
  const started: ChildProcess = spawn(process.execPath, [SCRIPT, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(started, 'exit');
  let output = '';
  started.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await until('npm start to be ready', () => {
    if (started.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
    return output.includes('Ctrl-C');
  });
  return {
    output: () => output,
    async stop() {
      started.kill('SIGTERM');
      await ended;
    },
  };
}
