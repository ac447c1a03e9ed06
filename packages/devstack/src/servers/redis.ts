import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { ask } from '../processes/ports.js';
import { PlainError } from '../processes/terminal.js';
import { ensureInstalled, type InstallOptions } from './install.js';
import { createServer, type Server, serverEnv, startOnFreePort } from './server.js';

export interface RedisOptions {
  /** The folder of the data and, unless `logFile` is given, the log. Created if it is missing. */
  dir: string;
  logFile?: string;
  /** By default the program on the PATH. */
  program?: RedisProgram;
  /** Additional settings, e.g. `{ appendonly: 'no' }`. */
  settings?: Readonly<Record<string, string>>;
}

/**
 * Starts the Redis or Valkey of the system on a free port of 127.0.0.1. Every write that it acknowledged more than a
 * second ago survives its death. The server ends soon after this process, even after SIGKILL.
 */
export async function startRedis(options: RedisOptions): Promise<Server> {
  const { dir, logFile = join(dir, 'redis.log'), program = findRedis(process.env) } = options;
  if (!program) throw new PlainError('Redis is missing: install `redis-server` or `valkey-server`, or set REDIS_URL.');
  const dataDir = join(dir, 'redis');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return startOnFreePort((port) => {
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: dataDir,
      daemonize: 'no',
      appendonly: 'yes',
      save: '',
      'maxmemory-policy': 'noeviction', // no entry of BullMQ may be evicted
      ...options.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    return createServer({
      name: 'Redis',
      url: `redis://127.0.0.1:${port}`,
      port,
      logFile,
      launch: () =>
        spawnChild(program.command, args, { env: serverEnv(dir), output: { file: logFile }, argv0: 'redis-server' }),
      isReady: async () => (await ask(port, 'PING\r\n', 1_000)).startsWith('+PONG'),
      remove: () => rm(dataDir, { recursive: true, force: true }),
    });
  });
}

export interface RedisProgram {
  command: string;
  /** For example `Redis 7.0.15`. */
  version: string;
}

/**
 * Programs that act as the server if their argv0 is `redis-server`. On Debian and Ubuntu the small package
 * `redis-tools` contains the server too, as redis-check-rdb, and no service that starts by itself.
 */
const COMMANDS = ['redis-server', 'valkey-server', 'redis-check-rdb', 'valkey-check-rdb'];

/** The Redis on the PATH. */
function findRedis(env: NodeJS.ProcessEnv): RedisProgram | undefined {
  for (const command of COMMANDS) {
    const options = { env, argv0: 'redis-server', encoding: 'utf8', timeout: 10_000 } as const;
    const { stdout } = spawnSync(command, ['--version'], options);
    const [, name, version] = /^(\w+) server v=(\S+)/.exec(stdout ?? '') ?? [];
    if (version) return { command, version: `${name} ${version}` };
  }
  return undefined;
}

/** The Redis on the PATH, installed if that needs no question. Otherwise throws PlainError. */
export function ensureRedis(options: InstallOptions): Promise<RedisProgram> {
  const redis = {
    name: 'Redis',
    find: () => findRedis(options.env),
    packages: { 'apt-get': ['redis-tools'], apk: ['redis'], dnf: ['valkey'], brew: ['redis'] },
    manually: 'install `redis-server` or `valkey-server`',
    otherwise: 'set REDIS_URL',
  };
  return ensureInstalled(redis, options);
}
