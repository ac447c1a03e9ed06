import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { configSchema as api } from '@jobline/api/config';
import { findFreePort } from '@jobline/devstack';
import { configSchema as worker } from '@jobline/worker/config';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks, codeSpans, DOCS, tableRows } from '../architecture/markdown.js';
import { ROOT } from '../architecture/sources.js';
import { VARIABLE, variablesOf } from '../architecture/variables.js';
import { until } from '../harness/index.js';
import { installPacked } from '../harness/packed.js';

interface Step {
  name?: string;
  uses?: string;
  with?: { path?: string };
  run?: string;
  if?: string;
}

const TITLE = 'Test your program in CI';
const blocks = [...codeBlocks(DOCS.ci, TITLE, 'js'), ...codeBlocks(DOCS.ci, TITLE, 'yaml')];
const { test: job }: { test: { env: Record<string, string>; steps: Step[] } } = parse(
  codeBlocks(DOCS.ci, TITLE, 'yaml').join('\n'),
).jobs;
const known = new Set([...variablesOf(api), ...variablesOf(worker), 'DATA_DIR']);

let dir: string;
let dataDir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-ci-'));
  dataDir = mkdtempSync(join(tmpdir(), 'jobline-ci-data-'));
  chmodSync(dataDir, 0o755); // Postgres must be able to enter as a user other than root
});
afterEach(async () => {
  await stopJobline();
  for (const path of [dir, dataDir]) rmSync(path, { recursive: true, force: true });
});

it('the workflow of the page about CI runs as it is written, with the program and the tests of the page', async () => {
  for (const block of blocks) {
    const [, path = ''] = /^(?:\/\/|#) (\S+)\n/.exec(block) ?? [];
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), block);
  }
  const checkout = job.steps.find((step) => step.with?.path);
  symlinkSync(ROOT, join(dir, checkout?.with?.path ?? ''));
  const settings = Object.fromEntries(Object.entries(job.env).map(([name, value]) => [name, String(value)]));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings, DATA_DIR: dataDir };

  const outputs = new Map<string, string>();
  for (const { name = '', run, if: condition } of job.steps) {
    if (run === undefined || condition !== undefined) continue;
    const port = String(await findFreePort());
    outputs.set(name, await runStep(run, { ...env, PORT: port }));
  }

  expect([...outputs.keys()]).toHaveLength(4);
  expect(outputs.get('Test without Jobline')).toContain('pass 1\n');
  expect(outputs.get('Test with Jobline')).toContain('pass 1\n');
  const logs = job.steps.find((step) => step.if === 'failure()')?.run ?? '';
  expect(await runStep(logs, env)).toContain('Applied ');
});

it('the page about CI names only variables that exist', () => {
  const raised = tableRows(DOCS.ci, 'tests that …', 'hit this limit', 'setting').map(([, , cell = '']) => cell);
  const named = [...Object.keys(job.env), ...raised.flatMap(codeSpans)];

  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !VARIABLE.test(name) || !known.has(name))).toEqual([]);
});

/** Runs a step as GitHub does. The client comes from this project, so no registry is asked. */
async function runStep(script: string, env: NodeJS.ProcessEnv): Promise<string> {
  const lines = script.replaceAll('/tmp/jobline.log', `${dataDir}/start.log`).split('\n');
  const isInstall = (line: string) => /^npm (pack|install) /.test(line);
  if (lines.some(isInstall)) await installPacked(dir, ['client']);
  const file = join(dir, 'step.sh');
  writeFileSync(file, lines.filter((line) => !isInstall(line)).join('\n'));
  const { stdout } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd: dir,
    env,
  });
  return stdout;
}

/** GitHub ends what the steps have started. */
async function stopJobline(): Promise<void> {
  const file = join(dataDir, 'run.json');
  if (!existsSync(file)) return;
  const { supervisor }: { supervisor: { pid: number } } = JSON.parse(readFileSync(file, 'utf8'));
  process.kill(supervisor.pid, 'SIGTERM');
  await until('npm start to end', () => !existsSync(file));
}
