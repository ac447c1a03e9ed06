import { join } from 'node:path';
import { migrate } from '@jobline/db/migrate';
import { PlainError, reasonOf } from '../processes/plain-error.js';
import { canConnect } from '../processes/ports.js';
import { keepRunning } from '../processes/supervise.js';
import { ensureChromium } from '../servers/chromium.js';
import { ensureRedis } from '../servers/install-redis.js';
import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import { type Context, logOf, onSpawn } from './context.js';

/** The migrated database: the one of DATABASE_URL, or our own. */
export async function provideDatabase(context: Context): Promise<string> {
  const { settings, terminal, root } = context;
  const url = settings.databaseUrl ?? (await provideOwnPostgres(context));
  try {
    const applied = await migrate(url, join(root, 'prisma/migrations'));
    if (applied.length > 0) terminal.say(`Applied ${applied.length} migration${applied.length === 1 ? '' : 's'}.`);
    return url;
  } catch (error) {
    const advice = settings.databaseUrl ? ' Check DATABASE_URL, or leave it out.' : '';
    throw new PlainError(`The database cannot be used: ${reasonOf(error)}.${advice}`, { cause: error });
  }
}

async function provideOwnPostgres(context: Context): Promise<string> {
  const { settings, terminal, running, stop } = context;
  const server = await startPostgres({
    dir: settings.dataDir,
    logFile: logOf(context, 'postgres'),
    database: 'jobline',
    onSpawn: onSpawn(context),
    onNote: terminal.complain,
  });
  stop.stopping.throwIfAborted();
  running.servers.push(keepRunning(server, terminal.complain));
  terminal.say(`Postgres is running on 127.0.0.1:${server.port}.`);
  return server.url;
}

/** The Redis of REDIS_URL, or our own. */
export async function provideRedis(context: Context): Promise<string> {
  const { settings, env, terminal, running, stop } = context;
  if (settings.redisUrl) {
    await checkRedis(settings.redisUrl);
    return settings.redisUrl;
  }
  const program = await ensureRedis({ env, logFile: logOf(context, 'install'), say: terminal.say });
  const logFile = logOf(context, 'redis');
  const server = await startRedis({ dir: settings.dataDir, logFile, program, onSpawn: onSpawn(context) });
  stop.stopping.throwIfAborted();
  running.servers.push(keepRunning(server, terminal.complain));
  terminal.say(`${program.version} is running on 127.0.0.1:${server.port}.`);
  return server.url;
}

/** A Chromium for PDFs, the only thing that one can do without. False if there is none. */
export async function provideChromium(context: Context): Promise<boolean> {
  const { env, terminal } = context;
  const { say, complain } = terminal;
  const version = await ensureChromium({ env, logFile: logOf(context, 'install-chromium'), say, complain });
  if (version) say(`${version} makes the PDFs.`);
  return version !== null;
}

/** The apps would start without Redis and wait for it; where it was named by hand, that it is not there is a slip. */
async function checkRedis(redisUrl: string): Promise<void> {
  const reached = await Promise.all(redisUrl.split(',').map(isReached));
  if (!reached.includes(true)) throw new PlainError('Redis cannot be reached: check REDIS_URL, or leave it out.');
}

async function isReached(node: string): Promise<boolean> {
  try {
    const { hostname, port } = new URL(node.includes('://') ? node : `redis://${node}`);
    return await canConnect(hostname, Number(port || 6379));
  } catch {
    return false; // it is no address
  }
}
