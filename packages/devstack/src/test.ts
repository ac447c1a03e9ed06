import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endChild, spawnChild } from './child.js';
import { ensureChromium } from './chromium.js';
import { ensureRedis } from './install-redis.js';
import { PlainError } from './plain-error.js';
import { startPostgres } from './postgres.js';
import { startRedis } from './redis.js';
import type { Server } from './server.js';
import { listenForStop, type StopRequests } from './stop-requests.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Only here: a test database is thrown away, so it need not survive a power cut. It does survive the death of any of
 * its processes, because commits still reach the system before they are acknowledged.
 */
const TEST_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

/**
 * `npm test`: every test against a Postgres and a Redis of its own, or those of TEST_DATABASE_URL and TEST_REDIS_URL.
 * Resolves with vitest's exit code once everything that was started has ended and its files are gone.
 */
export async function test({ argv, env }: { argv: readonly string[]; env: NodeJS.ProcessEnv }): Promise<number> {
  const stop = listenForStop(env);
  const dir = mkdtempSync(join(tmpdir(), 'jobline-test-'));
  chmodSync(dir, 0o755); // a Postgres that drops root must be able to enter
  const servers: Server[] = [];
  try {
    const databaseUrl = env.TEST_DATABASE_URL || (await keep(servers, startPostgres({ dir, settings: TEST_SETTINGS })));
    const redisUrl = env.TEST_REDIS_URL || (await keep(servers, startTestRedis(dir, env)));
    const install = { env, logFile: join(dir, 'install.log'), say: console.log, complain: console.error };
    await ensureChromium(install);
    stop.stopping.throwIfAborted();
    return await runVitest(argv, { ...env, TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl }, stop);
  } catch (error) {
    if (!stop.stopping.aborted) console.error(error instanceof PlainError ? error.message : error);
    return 1;
  } finally {
    await Promise.all(servers.map((server) => server.remove()));
    rmSync(dir, { recursive: true, force: true });
    stop.dispose();
  }
}

async function keep(servers: Server[], starting: Promise<Server>): Promise<string> {
  const server = await starting;
  servers.push(server);
  return server.url;
}

async function startTestRedis(dir: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const program = await ensureRedis({ env, logFile: join(dir, 'install.log'), say: console.log });
  return startRedis({ dir, program, settings: { appendonly: 'no' } });
}

async function runVitest(argv: readonly string[], env: NodeJS.ProcessEnv, stop: StopRequests): Promise<number> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', ROOT, '--config', 'test/vitest.config.ts', ...argv];
  const child = await spawnChild(process.execPath, args, { env, output: 'terminal', cwd: ROOT, onOurDeath: 'SIGTERM' });
  await Promise.race([child.exited, stop.requested]);
  await endChild(child, 'SIGTERM', 10_000, stop.hurry);
  const exit = await child.exited;
  return exit.code ?? 1;
}
