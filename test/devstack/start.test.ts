import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@jobline/devstack';
import { createCatalogue } from '@jobline/handlers';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
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
/** Of all tests that do not need a new one: creating a database takes longer than all else of a start. */
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
  it('runs the demo once, says how it went, and leaves nothing running', async () => {
    const start = begin(['--once']);
    const pids = await until('all processes to be there', () => pidsWhen(4));

    expect(await start.ended).toBe(0);
    expect(start.output()).toContain('A webhook (webhook): done');
    expect(start.output()).toContain('The listener got 3 requests, webhook-id job-2, and answered 500, 500, 200.');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('stops everything it started when it is told to, and finds its data at the next start', async () => {
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

  it('refuses a DATA_DIR or a port that another start is using, and does that one no harm', async () => {
    const first = await beginAndWait();
    const sameData = begin();
    const samePort = begin([], { DATA_DIR: newDataDir() });

    expect(await sameData.ended).toBe(1);
    expect(sameData.output()).toContain(`already running from ${dataDir} (process ${first.process.pid} at`);
    expect(await samePort.ended).toBe(1);
    expect(samePort.output().trim()).toBe(
      `Port ${port} of 127.0.0.1 is in use: choose another, e.g. \`PORT=${port + 1} npm start\`.`,
    );
    expect(await isReady()).toBe(true);
  });

  it('starts any child again that is killed', async () => {
    await beginAndWait();
    for (const pid of pidsWhen(4) ?? []) {
      process.kill(pid, 'SIGKILL');
      await until('another process in its place', () => pidsWhen(4)?.every((one) => one !== pid && isAlive(one)));
    }
    await until('the API to answer', isReady);
  });

  it('starts again at once after a kill -9, and leaves nothing running for long', async () => {
    const first = await beginAndWait();
    const pids = pidsWhen(4) ?? [];
    first.process.kill('SIGKILL');
    await first.ended;

    const second = await beginAndWait();
    await until('the processes of before to be gone', () => !pids.some(isAlive));

    const laterPids = pidsWhen(4) ?? [];
    expect(laterPids).toHaveLength(4);
    second.process.kill('SIGKILL');
    await second.ended;
    await until('all of them to end', () => !laterPids.some(isAlive));
  });

  it('goes on without the demo where registration is closed, and with --once says so by its exit code', async () => {
    const start = begin(['--once'], { REGISTRATION: 'closed' });

    expect(await start.ended).toBe(1);
    expect(start.output()).toContain('The demo was skipped');
  });
});

describe('the demo, with the API and the worker themselves', () => {
  it('ends every built-in type as done, and reads back what came of it; at the next start too', async () => {
    dataDir = newDataDir();
    for (let n = 1; n <= 2; n++) {
      const start = begin(['--once'], UNCONFIGURED, OWN_SCRIPT);
      expect(await start.ended, start.output()).toBe(0);
      const done = [...start.output().matchAll(/ \((\w+)\): done /g)].map(([, type]) => type);
      expect(new Set(done)).toEqual(JOB_TYPES);
      expect(done).toHaveLength(JOB_TYPES.size + 1); // the webhook whose receiver fails twice
      expect(start.output()).toMatch(/On record: from \S+ to ada@example.com, provider sandbox, status sent/);
      expect(start.output()).toMatch(/On record: from Baobab to \+254700000001, provider sandbox, status sent/);
      expect(start.output()).toMatch(/"pages":1[\s\S]*"payment":null[\s\S]*"model":"local-extractive"/);
    }
  });

  it('calls no provider that is for real, and says what it leaves out', async () => {
    const start = begin(['--once'], { SMS_PROVIDER: 'africastalking', PAYMENTS_PROVIDER: 'mpesa' });
    expect(await start.ended).toBe(0);
    expect(start.output()).toContain('is not shown: SMS_PROVIDER is africastalking');
    expect(start.output()).toContain('is not shown: PAYMENTS_PROVIDER is mpesa');
    expect(start.output()).toContain('(send_email): done');
    expect(start.output()).not.toMatch(/\((send_sms|mobile_money_stk)\)/);
  });
});

const JOB_TYPES = new Set(createCatalogue().keys());
const PROVIDERS = ['AI', 'CHAT', 'EMAIL', 'PAYMENTS', 'SMS', 'TEAM_CHAT'];
const UNCONFIGURED = Object.fromEntries(PROVIDERS.map((kind) => [`${kind}_PROVIDER`, undefined]));

function newDataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'jobline-start-'));
  chmodSync(dir, 0o755); // a Postgres that drops root must be able to enter
  dataDirs.push(dir);
  return dir;
}

function begin(args: string[] = [], env: NodeJS.ProcessEnv = {}, script = SCRIPT): Start {
  const { npm_lifecycle_event: _, ...ours } = process.env;
  const started = spawn(process.execPath, [script, ...args], {
    env: { ...ours, DATABASE_URL: '', REDIS_URL: '', PORT: String(port), DATA_DIR: dataDir, ...env },
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

async function beginAndWait(): Promise<Start> {
  const start = begin();
  const hasEnded = () => start.process.exitCode !== null;
  await until('npm start to be ready', () => start.output().includes('Ctrl-C') || hasEnded());
  if (hasEnded()) throw new Error(`npm start ended:\n${start.output()}`);
  return start;
}

function boardAndLogin({ output }: Start): string[] | undefined {
  return /^ +queues +(\S+) +(\S+) +(\S+)$/m.exec(output())?.slice(1);
}

/** The processes that the start says it has, if it has so many. */
function pidsWhen(count: number): number[] | undefined {
  const file = join(dataDir, 'run.json');
  if (!existsSync(file)) return undefined;
  const { started }: { started: { pid: number }[] } = JSON.parse(readFileSync(file, 'utf8'));
  const pids = started.map(({ pid }) => pid).filter(isAlive);
  return pids.length === count ? pids : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // that it has ended is the answer
  }
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false; // not there yet
  }
}
