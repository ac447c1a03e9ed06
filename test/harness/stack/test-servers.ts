import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  endChild,
  ensureChromium,
  ensureRedis,
  listenForStop,
  PlainError,
  type Server,
  type StopRequests,
  spawnChild,
  startPostgres,
  startRedis,
} from '@jobline/devstack';
import { ensurePython } from './python.js';

/**
 * Only for tests: a test database need not survive a power cut. It survives the death of any of its processes, because
 * a commit reaches the operating system before it is acknowledged.
 */
const TEST_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

/** A file system in memory. Creating and deleting hundreds of databases on a disk costs several times as much CPU time. */
const MEMORY_DIR = '/dev/shm';
const NEEDED_BYTES = 8 * 1024 ** 3;

/** How npm called a test command. */
export interface Invocation {
  /** The project's folder. */
  root: string;
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
}

export interface Servers {
  dir: string;
  /** Removes the server at the end. Returns its URL. */
  keep(starting: Promise<Server>): Promise<string>;
  vitest(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
}

/** Runs tests with servers. When it resolves, the servers have stopped and their files are deleted. */
export async function withServers(
  { root, env }: Invocation,
  run: (servers: Servers) => Promise<number>,
): Promise<number> {
  const stop = listenForStop(env);
  const dir = mkdtempSync(join(isLarge(MEMORY_DIR) ? MEMORY_DIR : tmpdir(), 'jobline-test-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  const servers: Server[] = [];
  try {
    const install = { env, logFile: join(dir, 'install.log'), say: console.log, warn: console.error };
    return await run({
      dir,
      async keep(starting) {
        const server = await starting;
        servers.push(server);
        return server.url;
      },
      async vitest(argv, services) {
        await ensureChromium(install);
        await ensurePython(install);
        stop.stopping.throwIfAborted();
        return runVitest({ root, argv, env: { ...env, ...services } }, stop);
      },
    });
  } catch (error) {
    if (!stop.stopping.aborted) console.error(error instanceof PlainError ? error.message : error);
    return 1;
  } finally {
    await Promise.all(servers.map((server) => server.remove()));
    rmSync(dir, { recursive: true, force: true });
    stop.dispose();
  }
}

/** Whether a file system in memory exists and has space for the servers of the tests. */
function isLarge(memoryDir: string): boolean {
  if (!existsSync(memoryDir)) return false;
  const { bavail, bsize } = statfsSync(memoryDir);
  return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES;
}

export function startTestPostgres(dir: string, settings = {}): Promise<Server> {
  return startPostgres({ dir, settings: { ...TEST_SETTINGS, ...settings } });
}

export async function startTestRedis(dir: string, env: NodeJS.ProcessEnv, settings = {}): Promise<Server> {
  mkdirSync(dir, { recursive: true });
  const program = await ensureRedis({ env, logFile: join(dir, 'install.log'), say: console.log });
  return startRedis({ dir, program, settings: { appendonly: 'no', ...settings } });
}

async function runVitest({ root, argv, env }: Invocation, stop: StopRequests): Promise<number> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', root, '--config', 'test/vitest.config.ts', ...argv];
  const child = await spawnChild(process.execPath, args, { env, output: 'terminal', cwd: root });
  await Promise.race([child.exited, stop.requested]);
  await endChild(child, 'SIGTERM', 10_000);
  const exit = await child.exited;
  return typeof exit === 'number' ? exit : 1;
}
