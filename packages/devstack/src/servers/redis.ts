import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { ask, findFreePort } from '../processes/ports.js';
import type { ProcessId } from '../processes/processes.js';
import { findRedis, type RedisProgram } from './redis-program.js';
import { createServer, type Server, StartError } from './server.js';
import { serverEnv } from './server-env.js';

export interface RedisOptions {
  /** Where the data and, unless `logFile` is given, the log are kept. Made if it is not there. */
  dir: string;
  logFile?: string;
  /** Found on the PATH if not given. */
  program?: RedisProgram;
  /** Settings beside ours, e.g. `{ appendonly: 'no' }`. */
  settings?: Readonly<Record<string, string>>;
  onSpawn?: (process: ProcessId) => void;
}

/**
 * Starts the system's Redis or Valkey on a free port of 127.0.0.1. Everything that it acknowledged more than a second
 * ago survives its death. It ends soon after this process does, even by SIGKILL.
 */
export async function startRedis(options: RedisOptions): Promise<Server> {
  const program = options.program ?? findRedis(process.env.PATH);
  for (let tries = 1; ; tries++) {
    const server = await createRedis(options, program);
    try {
      await server.start();
      return server;
    } catch (error) {
      const portWasTaken = error instanceof StartError && /address already in use/i.test(error.lastWords);
      if (!portWasTaken || tries === 5) throw error;
    }
  }
}

async function createRedis(options: RedisOptions, program: RedisProgram): Promise<Server> {
  const { dir, logFile = join(dir, 'redis.log'), onSpawn } = options;
  const dataDir = join(dir, 'redis');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const port = await findFreePort();
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: dataDir,
    daemonize: 'no',
    appendonly: 'yes',
    save: '',
    'maxmemory-policy': 'noeviction', // BullMQ's entries must never be thrown out
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return createServer({
    name: 'Redis',
    url: `redis://127.0.0.1:${port}`,
    port,
    logFile,
    launch: () =>
      spawnChild(program.path, args, {
        env: serverEnv(dir),
        output: { file: logFile },
        argv0: 'redis-server',
        onOurDeath: 'SIGTERM',
        onSpawn,
      }),
    isReady: async () => (await ask(port, 'PING\r\n', 1_000)).startsWith('+PONG'),
    isPassing: () => false,
    stopSignal: 'SIGTERM',
    remove: () => rm(dataDir, { recursive: true, force: true }),
  });
}
