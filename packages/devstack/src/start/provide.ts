import { join } from 'node:path';
import { migrate } from '@jobline/db/migrate';
import { canConnect } from '../processes/ports.js';
import { keepRunning } from '../processes/restartable.js';
import { PlainError, reasonOf } from '../processes/terminal.js';
import { ensureChromium } from '../servers/chromium.js';
import { startPostgres } from '../servers/postgres.js';
import { ensureRedis, startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { type Context, logOf, ROOT } from './context.js';

/** Returns the URL of the migrated database: that of DATABASE_URL, or a Postgres started here. */
export async function provideDatabase(context: Context): Promise<string> {
  const { env, terminal } = context;
  const url = env.DATABASE_URL || (await startOwnPostgres(context));
  try {
    const applied = await migrate(url, join(ROOT, 'prisma/migrations'));
    if (applied.length > 0) terminal.say(`Applied ${applied.length} database migrations.`);
    return url;
  } catch (error) {
    const advice = env.DATABASE_URL ? ' Check DATABASE_URL, or remove it.' : '';
    throw new PlainError(`The database cannot be used: ${reasonOf(error)}.${advice}`, { cause: error });
  }
}

async function startOwnPostgres(context: Context): Promise<string> {
  const dir = context.options.dataDir;
  const logFile = logOf(context, 'postgres');
  const server = await startPostgres({ dir, logFile, database: 'jobline', onNote: context.terminal.warn });
  return supervise(context, server, 'Postgres');
}

/** Returns REDIS_URL, or the URL of a Redis started here. */
export async function provideRedis(context: Context): Promise<string> {
  const { options, env, terminal } = context;
  if (env.REDIS_URL) {
    // The apps would wait for Redis. An address that was set by hand and does not answer is a mistake.
    const answers = await Promise.all(env.REDIS_URL.split(',').map(isReachable));
    if (answers.includes(true)) return env.REDIS_URL;
    throw new PlainError('Redis cannot be reached. Check REDIS_URL, or remove it.');
  }
  const program = await ensureRedis({ env, logFile: logOf(context, 'install'), say: terminal.say });
  const server = await startRedis({ dir: options.dataDir, logFile: logOf(context, 'redis'), program });
  return supervise(context, server, program.version);
}

/** Makes a Chromium available for PDFs. Returns false if there is none; everything else works without it. */
export async function provideChromium(context: Context): Promise<boolean> {
  const { env, terminal } = context;
  const { say, warn, detail } = terminal;
  const version = await ensureChromium({ env, logFile: logOf(context, 'install-chromium'), say, warn });
  if (version) detail(`${version} renders the PDFs.`);
  return version !== null;
}

function supervise({ terminal, stop }: Context, server: Server, name: string): string {
  void keepRunning(server, terminal.warn, stop.stopping);
  terminal.detail(`${name} is running on 127.0.0.1:${server.port}.`);
  return server.url;
}

async function isReachable(node: string): Promise<boolean> {
  try {
    const { hostname, port } = new URL(node.includes('://') ? node : `redis://${node}`);
    return await canConnect(hostname, Number(port || 6379));
  } catch {
    return false; // not a URL
  }
}
