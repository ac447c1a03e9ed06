import { join } from 'node:path';
import { styleText } from 'node:util';
import { migrate } from '@jobline/db/migrate';
import { runDemo } from '../demo/demo.js';
import { type DemoAccount, ensureDemoAccount } from '../demo/demo-account.js';
import { type Listener, startListener } from '../demo/listener.js';
import { canConnect, listenError } from '../processes/ports.js';
import { keepRunning } from '../processes/restartable.js';
import { PlainError, reasonOf } from '../processes/terminal.js';
import { ensureChromium } from '../servers/chromium.js';
import { startPostgres } from '../servers/postgres.js';
import { ensureRedis, startRedis } from '../servers/redis.js';
import { readOrCreateSecret, type Server } from '../servers/server.js';
import { quoted, writeEnvFile } from './env-file.js';
import type { Options } from './options.js';
import { type Apps, type Context, logOf, ROOT, runApps } from './run-apps.js';

/** Starts everything in order and runs the demo. Resolves with false if the demo failed. */
export async function runJobline(context: Context, apps: Apps): Promise<boolean> {
  const { options, env, terminal, stop } = context;
  if (options.onlyServers) return runServers(context);
  await checkPort(options);
  const [databaseUrl, redisUrl] = await Promise.all([provideDatabase(context), provideRedis(context)]);
  // After Redis, because package managers do one thing at a time.
  const hasChromium = await provideChromium(context);
  const listener = await startListener(terminal.detail);
  const operator = operatorOf(context);
  const ofWorkers = {
    NODE_ENV: env.NODE_ENV || 'development',
    // Chromium does not start with its sandbox as root, which is the user in many development containers.
    CHROMIUM_SANDBOX: env.CHROMIUM_SANDBOX || (process.getuid?.() === 0 ? 'off' : 'on'),
    DATA_DIR: env.DATA_DIR || options.dataDir,
    OUTBOUND_ALLOW_HOSTS: [listener.host, env.OUTBOUND_ALLOW_HOSTS].filter(Boolean).join(','),
    ...(options.handlersDir && { HANDLERS_DIR: options.handlersDir }),
  };
  await runApps(context, apps, {
    ...env,
    ...ofWorkers,
    ...(operator && { OPERATOR_USER: operator.user, OPERATOR_PASSWORD: operator.password }),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PUBLIC_URL: env.PUBLIC_URL || `http://localhost:${options.port}`,
    JWT_SECRET: env.JWT_SECRET || readOrCreateSecret(join(options.dataDir, 'jwt-secret')),
    HANDLERS_DIR: options.handlersDir,
  });
  terminal.detail(`The API and a worker are running; the logs are in ${join(options.dataDir, 'logs')}.`);

  const { url } = options;
  const account = await ensureDemoAccount(url, join(options.dataDir, 'demo.json'));
  if (!account) terminal.warn('The demo was skipped: registration is closed (REGISTRATION).');
  const shell = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, JOBLINE_URL: url };
  const envFile = writeEnvFile(options.dataDir, { ...shell, ...(account && { JOBLINE_API_KEY: account.apiKey }) });
  const limitMs = 60_000 + 5 * Number(env.RETRY_BASE_MS || 1_000);
  const demo = { url, listener, terminal, stopping: stop.stopping, hasChromium, env, limitMs };
  const isGood = account !== null && (await runDemo({ ...demo, account }));
  if (!options.once) {
    explainUse(context, listener, account, operator, envFile);
    explainOtherShells(context, envFile, shell, ofWorkers);
    terminal.say('Ctrl-C stops everything.');
  }
  return isGood;
}

/** Starts Postgres and Redis. The database may be missing or of any version. */
async function runServers(context: Context): Promise<true> {
  const { options, env, terminal } = context;
  const [databaseUrl, redisUrl] = await Promise.all([
    env.DATABASE_URL || startOwnPostgres(context),
    provideRedis(context),
  ]);
  const envFile = writeEnvFile(options.dataDir, { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl });
  terminal.say('Postgres and Redis are running, without the API and a worker.');
  terminal.say(`  environment   . ${quoted(envFile)}`);
  terminal.say('Ctrl-C stops them.');
  return true;
}

async function checkPort({ host, port }: Options): Promise<void> {
  const error = await listenError(port, host);
  if (error === 'EADDRINUSE')
    throw new PlainError(`Port ${port} of ${host} is in use; choose another one: \`PORT=${port + 1} npm start\`.`);
  if (error) throw new PlainError(`Port ${port} of ${host} cannot be opened (${error}); set another PORT or HOST.`);
}

/** Returns the URL of the migrated database: that of DATABASE_URL, or a Postgres started here. */
async function provideDatabase(context: Context): Promise<string> {
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
async function provideRedis(context: Context): Promise<string> {
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
async function provideChromium(context: Context): Promise<boolean> {
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

/** Generated, unless the environment sets one; a password from the environment is not printed. */
function operatorOf({ env, options }: Context) {
  if (env.OPERATOR_USER || env.OPERATOR_PASSWORD) return null;
  return { user: 'operator', password: readOrCreateSecret(join(options.dataDir, 'operator-password')) };
}

function explainUse(
  { terminal, options: { url } }: Context,
  listener: Listener,
  account: DemoAccount | null,
  operator: ReturnType<typeof operatorOf>,
  envFile: string,
): void {
  terminal.say(`\n${styleText('bold', `Jobline is running at ${url}`)}`);
  terminal.say(`  dashboard   ${url}`);
  if (account) {
    const body = { type: 'webhook', payload: { url: `${listener.url}/hello`, payload: { hello: 'world' } } };
    const headers = `-H 'X-API-Key: ${account.apiKey}' -H 'Content-Type: application/json'`;
    terminal.say(`  demo login  ${account.email}  ${account.password}`);
    terminal.say(`  API key     ${account.apiKey}`);
    terminal.say(`  try it      curl -X POST ${url}/jobs ${headers} -d '${JSON.stringify(body)}'`);
    terminal.say('  commands    in another shell, in this folder:');
    terminal.say(`              . ${quoted(envFile)}`);
    terminal.say(`              ID=$(npx jobline submit ${body.type} --payload '${JSON.stringify(body.payload)}')`);
    terminal.say('              npx jobline logs "$ID" --follow');
    terminal.say('              npx jobline list');
  }
  terminal.say(`  help        ${url}/help`);
  terminal.say(`  reference   ${url}/docs`);
  terminal.say(`  queues      ${url}/admin/queues${operator ? `  ${operator.user}  ${operator.password}` : ''}`);
}

/** What another shell and another worker need. */
function explainOtherShells(
  { terminal, env }: Context,
  envFile: string,
  shell: { DATABASE_URL: string; REDIS_URL: string },
  ofWorkers: Readonly<Record<string, string>>,
): void {
  for (const name of ['DATABASE_URL', 'REDIS_URL'] as const)
    terminal.say(`  ${name.padEnd(13)} ${env[name] ? withoutPassword(shell[name]) : shell[name]}`);
  terminal.say(
    `  environment   ${envFile} has these, JOBLINE_URL and JOBLINE_API_KEY, for \`. ${quoted(envFile)}\` in another shell`,
  );
  const settings = Object.entries(ofWorkers).map(([name, value]) => `${name}=${quoted(value)}`);
  const script = quoted(join(ROOT, 'apps/worker/dist/main.js'));
  terminal.say(`  worker 2      . ${quoted(envFile)} && ${settings.join(' ')} node ${script}`);
}

/** A password from the environment is not printed. */
function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/g, ':…@');
}
