import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childrenOf, findFreePort } from '@jobline/devstack';
import { createCatalogue } from '@jobline/handlers';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { imageSettings } from '../containers/processes.js';
import { until } from '../harness/until.js';

const SCRIPT = fileURLToPath(new URL('stubs/start.mjs', import.meta.url));
const OWN_SCRIPT = fileURLToPath(new URL('stubs/start-own.mjs', import.meta.url));

interface Start {
  process: ChildProcess;
  output(): string;
  /** The exit code or the signal. */
  ended: Promise<number | string>;
}

const dataDirs: string[] = [];
/** For the tests that need no new folder: creating a database is the slowest part of a start. */
const sharedDataDir = newDataDir();
let dataDir: string;
let port: number;
let starts: Start[];

beforeEach(async () => {
  dataDir = sharedDataDir;
  port = await findFreePort();
  starts = [];
});

afterEach(async () => {
  for (const { process: started, ended } of starts) {
    if (started.exitCode === null && started.signalCode === null) started.kill('SIGTERM');
    await ended;
  }
});

afterAll(() => {
  for (const dir of dataDirs) rmSync(dir, { recursive: true, force: true });
});

describe('npm start', () => {
  it('runs the demo once, prints the results, and leaves no process running', async () => {
    const start = begin(['--once', '--verbose']);
    const pids = await until('all processes to be there', () => pidsWhen(4));

    expect(await start.ended).toBe(0);
    expect(start.output()).toContain('A webhook (webhook): done');
    expect(start.output()).toContain('The listener received webhook-id job-2 and answered 500, 500, 200.');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('stops every process on SIGTERM and finds its data at the next start', async () => {
    dataDir = newDataDir();
    const first = await beginAndWait();
    const pids = pidsWhen(4) ?? [];
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(first.output()).toContain('Applied ');

    const second = await beginAndWait();
    expect(second.output()).not.toContain('Applied ');
    const board = `http://127.0.0.1:${port}/admin/queues`;
    expect(boardAndLogin(first)).toEqual([board, 'operator', expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(boardAndLogin(second)).toEqual(boardAndLogin(first));
  });

  it('rejects a DATA_DIR or a port that another start uses, and does not disturb that start', async () => {
    const first = await beginAndWait();
    const sameData = begin();
    const samePort = begin([], { DATA_DIR: newDataDir() });

    expect(await sameData.ended).toBe(1);
    expect(sameData.output()).toContain(`already running from ${dataDir} (process ${first.process.pid} at`);
    expect(await samePort.ended).toBe(1);
    expect(samePort.output().trim()).toBe(
      `Port ${port} of 127.0.0.1 is in use; choose another one: \`PORT=${port + 1} npm start\`.`,
    );
    expect(await isReady()).toBe(true);
  });

  it('prints the warnings and errors of the apps', async () => {
    const start = await beginAndWait();
    await until('the error of the worker', () => start.output().includes('worker error: not so well (lost)\n'));
    expect(start.output()).not.toContain('the stub of the worker is running');
  });

  it('restarts each process that is killed', async () => {
    await beginAndWait();
    for (const pid of pidsWhen(4) ?? []) {
      process.kill(pid, 'SIGKILL');
      await until('a new process to replace it', () => pidsWhen(4)?.every((one) => one !== pid && isAlive(one)));
    }
    await until('the API to answer', isReady);
  });

  it('can start again immediately after a kill -9, and leaves no process running for long', async () => {
    const first = await beginAndWait();
    const pids = pidsWhen(4) ?? [];
    first.process.kill('SIGKILL');
    await first.ended;

    const second = await beginAndWait();
    await until('the earlier processes to end', () => !pids.some(isAlive));

    const laterPids = pidsWhen(4) ?? [];
    expect(laterPids).toHaveLength(4);
    second.process.kill('SIGKILL');
    await second.ended;
    await until('all of them to end', () => !laterPids.some(isAlive));
  });

  it('stops every process when npm is killed', async () => {
    // npm is played by a shell, which stays because it has a second command.
    const npm = spawn('/bin/sh', ['-c', `"${process.execPath}" "${SCRIPT}"; true`], {
      env: { ...envOf({}), npm_lifecycle_event: 'start' },
      stdio: 'ignore',
    });
    const pids = await until('all processes to start', () => pidsWhen(4));
    npm.kill('SIGKILL');
    await until('all processes to end', () => !pids.some(isAlive) && !existsSync(join(dataDir, 'run.json')));
  });

  it('skips the demo if registration is closed, and with --once reports it by its exit code', async () => {
    const start = begin(['--once'], { REGISTRATION: 'closed' });

    expect(await start.ended).toBe(1);
    expect(start.output()).toContain('The demo was skipped');
  });
});

describe('the demo with the real API and worker', () => {
  it('completes a job of every built-in type and shows its result, at the next start with the settings of its image too', async () => {
    dataDir = newDataDir();
    const {
      PORT: _,
      DATA_DIR: __,
      ...image
    } = imageSettings(readFileSync(join(ROOT, 'docker/dev.Dockerfile'), 'utf8'));
    for (const settings of [{}, image]) {
      const start = begin(['--once', '--verbose'], { ...UNCONFIGURED, ...settings }, OWN_SCRIPT);
      expect(await start.ended, start.output()).toBe(0);
      const done = [...start.output().matchAll(/ \((\w+)\): done$/gm)].map(([, type]) => type);
      expect(new Set(done)).toEqual(JOB_TYPES);
      expect(done).toHaveLength(JOB_TYPES.size + 1); // the webhook that fails twice
      expect(start.output()).toContain(
        'An order, from its payment to its receipt (mobile_money_stk → generate_pdf → send_email → send_sms → team_chat_notify): done',
      );
      expect(start.output()).toMatch(/Message: from \S+ to ada@example.com, provider sandbox, status sent/);
      // The sandbox delivers it, and pays, after two seconds.
      expect(start.output()).toMatch(
        /Message: from Baobab to \+254700000001, provider sandbox, status (sent|delivered)/,
      );
      expect(start.output()).toMatch(
        /"pages":1[\s\S]*"payment":(null|\{"status":"paid")[\s\S]*"model":"local-extractive"/,
      );
    }
  });

  it('ends with commands that can be run in the folder of the project', async () => {
    const start = await beginAndWait(UNCONFIGURED, OWN_SCRIPT);
    const [, lines = ''] = /^ {2}commands .*:\n((?: {14}.*\n)+)/m.exec(start.output()) ?? [];
    const env = { PATH: process.env.PATH, HOME: dataDir };

    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', lines], { cwd: ROOT, env });

    expect(start.output()).toContain(`  dashboard   http://127.0.0.1:${port}\n`);
    expect(lines.match(/npx jobline/g)).toHaveLength(3);
    expect(stdout).toMatch(/ attempt 1 started\n[\s\S]*\nID +TYPE/);
  });

  it('prints what a second shell and a second worker need, and writes it to a file that only its owner can read', async () => {
    const file = join(dataDir, 'env');
    writeFileSync(file, 'old', { mode: 0o644 });
    const start = await beginAndWait(UNCONFIGURED, OWN_SCRIPT);
    const env = { PATH: process.env.PATH };
    const show = `. '${file}' && exec '${process.execPath}' -p 'JSON.stringify(process.env)'`;
    const shell = JSON.parse((await promisify(execFile)('sh', ['-c', show], { env })).stdout);
    const [, key = ''] = /^ {2}API key +(\S+)$/m.exec(start.output()) ?? [];

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(shell).toMatchObject({ JOBLINE_URL: `http://127.0.0.1:${port}`, JOBLINE_API_KEY: key });
    expect(start.output()).toContain(`  DATABASE_URL  ${shell.DATABASE_URL}\n  REDIS_URL     ${shell.REDIS_URL}\n`);
    const [, command = ''] = /^ {2}worker 2 +(.*)$/m.exec(start.output()) ?? [];
    const worker = spawn('sh', ['-c', command], { stdio: 'ignore', env, detached: true });
    const headers = { 'X-API-Key': key };
    await until('two workers', async () => {
      const types = await (await fetch(`${shell.JOBLINE_URL}/job-types`, { headers })).json();
      return types.every(({ workers }: { workers: number }) => workers === 2);
    });
    process.kill(-(worker.pid ?? 0), 'SIGTERM');
    await once(worker, 'exit');
  });

  it('calls no real provider and prints which jobs it skips', async () => {
    const start = begin(['--once'], { SMS_PROVIDER: 'africastalking', PAYMENTS_PROVIDER: 'mpesa' });
    expect(await start.ended).toBe(0);
    expect(start.output()).toContain('(send_sms): skipped, because SMS_PROVIDER=africastalking');
    expect(start.output()).toContain('(mobile_money_stk): skipped, because PAYMENTS_PROVIDER=mpesa');
    expect(start.output()).toContain('(send_email): done');
    expect(start.output()).not.toMatch(/\((send_sms|mobile_money_stk)\): (?!skipped)/);
  });
});

const JOB_TYPES = new Set(createCatalogue().keys());
const PROVIDERS = ['AI', 'CHAT', 'EMAIL', 'PAYMENTS', 'SMS', 'TEAM_CHAT'];
const UNCONFIGURED = Object.fromEntries(PROVIDERS.map((kind) => [`${kind}_PROVIDER`, undefined]));

function newDataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'jobline-start-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  dataDirs.push(dir);
  return dir;
}

function begin(args: string[] = [], env: NodeJS.ProcessEnv = {}, script = SCRIPT): Start {
  const started = spawn(process.execPath, [script, ...args], {
    env: envOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  started.stdout.on('data', (chunk) => {
    output += chunk;
  });
  started.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = once(started, 'exit').then(([code, signal]) => code ?? signal);
  const start = { process: started, output: () => output, ended };
  starts.push(start);
  return start;
}

function envOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { npm_lifecycle_event: _, ...ours } = process.env;
  return { ...ours, DATABASE_URL: '', REDIS_URL: '', PORT: String(port), DATA_DIR: dataDir, ...env };
}

async function beginAndWait(env?: NodeJS.ProcessEnv, script?: string): Promise<Start> {
  const start = begin([], env, script);
  const hasEnded = () => start.process.exitCode !== null;
  await until('npm start to be ready', () => start.output().includes('Ctrl-C') || hasEnded());
  if (hasEnded()) throw new Error(`npm start ended:\n${start.output()}`);
  return start;
}

function boardAndLogin({ output }: Start): string[] | undefined {
  return /^ +queues +(\S+) +(\S+) +(\S+)$/m.exec(output())?.slice(1);
}

/** The processes that the start has started, except for the guard, if there are that many. */
function pidsWhen(count: number): number[] | undefined {
  const file = join(dataDir, 'run.json');
  if (!existsSync(file)) return undefined;
  const { supervisor, guard }: Record<string, { pid: number }> = JSON.parse(readFileSync(file, 'utf8'));
  const pids = childrenOf(supervisor?.pid ?? 0).flatMap(({ pid }) => (pid === guard?.pid ? [] : pid));
  return pids.length === count ? pids : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // it has ended
  }
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false; // not there yet
  }
}
