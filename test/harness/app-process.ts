import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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
  freeze(): void;
  thaw(): void;
}

export function spawnWorker(env: Record<string, string>): Promise<AppProcess> {
  return spawnApp('worker', env);
}

/** Resolves when it listens, on a free port. */
export async function spawnApi(env: Record<string, string>): Promise<AppProcess & { url: string }> {
  const api = await spawnApp('api', {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    RATE_LIMIT_LOGIN_PER_MIN: '1000000',
    RATE_LIMIT_CREDENTIALS_PER_MIN: '1000000',
    RATE_LIMIT_READ_PER_MIN: '1000000',
    ...env,
  });
  const port = await until('the API to listen', () => /"port":(\d+)/.exec(api.output())?.[1]);
  return { ...api, url: `http://127.0.0.1:${port}` };
}

async function spawnApp(app: 'api' | 'worker', env: Record<string, string>): Promise<AppProcess> {
  const main = fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      CHROMIUM_SANDBOX,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'exit').then(() => undefined);
  await once(child, 'spawn');
  return {
    pid: pidOf(child),
    output: () => output,
    ended,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
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
