import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM_SANDBOX } from './sandbox.js';
import { until } from './until.js';

/** An app as operators run it: a separate process, configured only by its environment. */
export interface AppProcess {
  pid: number;
  /** The log so far. */
  output(): string;
  /** Sends a signal; resolves when the process has ended, unless it survives the signal. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<void>;
  hasEnded(): boolean;
  /** Null while it runs, and if a signal has ended it. */
  exitCode(): number | null;
  freeze(): void;
  thaw(): void;
}

/** The folder of this build of the apps. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface SpawnOptions {
  root?: string;
  /** Linux divides the processors among sessions first, so this is what a container of its own would get. */
  hasOwnSession?: boolean;
}

export function spawnWorker(env: Record<string, string>, options: SpawnOptions = {}): Promise<AppProcess> {
  return spawnApp('worker', env, options);
}

/** Resolves when it listens, on a free port. */
export async function spawnApi(
  env: Record<string, string>,
  options: SpawnOptions = {},
): Promise<AppProcess & { url: string }> {
  const limits = {
    RATE_LIMIT_LOGIN_PER_MIN: '1000000',
    RATE_LIMIT_CREDENTIALS_PER_MIN: '1000000',
    RATE_LIMIT_READ_PER_MIN: '1000000',
  };
  const api = await spawnApp('api', { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ...limits, ...env }, options);
  const port = await until('the API to listen', () => {
    if (api.hasEnded()) throw new Error(`the API did not start:\n${api.output()}`);
    return /"port":(\d+)/.exec(api.output())?.[1];
  });
  return { ...api, url: `http://127.0.0.1:${port}` };
}

async function spawnApp(
  app: 'api' | 'worker',
  env: Record<string, string>,
  { root = ROOT, hasOwnSession = false }: SpawnOptions,
): Promise<AppProcess> {
  const child = spawn(process.execPath, [join(root, 'apps', app, 'dist/main.js')], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      CHROMIUM_SANDBOX,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: hasOwnSession,
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'exit').then(() => undefined);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await once(child, 'spawn');
  return {
    pid: pidOf(child),
    output: () => output,
    ended,
    hasEnded,
    exitCode: () => child.exitCode,
    async kill(signal) {
      if (hasEnded()) return;
      child.kill(signal);
      await ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the app did not start');
  return child.pid;
}
