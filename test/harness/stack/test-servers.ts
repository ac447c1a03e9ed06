import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/**
 * Only for tests: a test database need not survive a power cut. It survives the death of any of its processes, because
 * a commit reaches the operating system before it is acknowledged.
 */
const TEST_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

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
  const dir = mkdtempSync(join(tmpdir(), 'jobline-test-'));
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
