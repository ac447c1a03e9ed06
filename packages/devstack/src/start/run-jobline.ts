import { join } from 'node:path';
import { createApiClient } from '../demo/api-client.js';
import { runDemo } from '../demo/demo.js';
import { type DemoAccount, ensureDemoAccount } from '../demo/demo-account.js';
import { type Listener, startListener } from '../demo/listener.js';
import { PlainError } from '../processes/plain-error.js';
import { listenError } from '../processes/ports.js';
import type { Terminal } from '../processes/terminal.js';
import { readOrCreateSecret } from '../servers/secret.js';
import type { Context } from './context.js';
import { provideChromium, provideDatabase, provideRedis } from './provide.js';
import { type Apps, runApps } from './run-apps.js';
import type { Settings } from './settings.js';

/** Starts everything in order and runs the demo. False if the demo did not go as it should. */
export async function runJobline(context: Context, apps: Apps): Promise<boolean> {
  const { settings, env, terminal, stop, runFile } = context;
  await checkPort(settings);
  const [databaseUrl, redisUrl] = await Promise.all([provideDatabase(context), provideRedis(context)]);
  // After Redis: package managers do one thing at a time.
  const hasChromium = await provideChromium(context);
  stop.stopping.throwIfAborted();
  const listener = await provideListener(context);
  const allowed = [listener.host, ...(env.OUTBOUND_ALLOW_HOSTS ? [env.OUTBOUND_ALLOW_HOSTS] : [])];
  stop.stopping.throwIfAborted();
  const operator = operatorOf(context);
  await runApps(context, apps, {
    ...env,
    NODE_ENV: env.NODE_ENV || 'development',
    // As root, as in many containers of developers, Chromium starts in no other way.
    CHROMIUM_SANDBOX: env.CHROMIUM_SANDBOX || (process.getuid?.() === 0 ? 'off' : 'on'),
    OPERATOR_USER: operator?.user ?? env.OPERATOR_USER,
    OPERATOR_PASSWORD: operator?.password ?? env.OPERATOR_PASSWORD,
    DATA_DIR: env.DATA_DIR || settings.dataDir,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PUBLIC_URL: env.PUBLIC_URL || `http://localhost:${settings.port}`,
    JWT_SECRET: env.JWT_SECRET || readOrCreateSecret(join(settings.dataDir, 'jwt-secret')),
    OUTBOUND_ALLOW_HOSTS: allowed.join(','),
    HANDLERS_DIR: settings.handlersDir,
  });
  runFile.setUrl(settings.url);
  terminal.say(`API and worker are running; their logs are in ${join(settings.dataDir, 'logs')}.`);
  return demonstrate(context, { listener, hasChromium, operator });
}

interface Operator {
  user: string;
  password: string;
}

/** One of our own making, unless the environment names one: that one's password is not ours to print. */
function operatorOf({ env, settings }: Context): Operator | null {
  if (env.OPERATOR_USER || env.OPERATOR_PASSWORD) return null;
  return { user: 'operator', password: readOrCreateSecret(join(settings.dataDir, 'operator-password')) };
}

async function checkPort({ host, port }: Settings): Promise<void> {
  const error = await listenError(port, host);
  if (error === 'EADDRINUSE') {
    throw new PlainError(`Port ${port} of ${host} is in use: choose another, e.g. \`PORT=${port + 1} npm start\`.`);
  }
  if (error) throw new PlainError(`Port ${port} of ${host} cannot be opened (${error}): choose another PORT or HOST.`);
}

async function provideListener({ terminal, running }: Context): Promise<Listener> {
  let isQuietUntil = 0;
  const listener = await startListener(({ path, status, webhookId }) => {
    const isFromDemo = path.startsWith('/orders/') || path.startsWith('/flaky/');
    if (isFromDemo || performance.now() < isQuietUntil) return;
    isQuietUntil = performance.now() + 1_000; // a flood must not fill the terminal
    terminal.say(terminal.dim(`The listener got ${path}, webhook-id ${webhookId}, and answered ${status}.`));
  });
  running.closers.push(listener.close);
  return listener;
}

interface Shown {
  listener: Listener;
  hasChromium: boolean;
  operator: Operator | null;
}

async function demonstrate(context: Context, { listener, hasChromium, operator }: Shown): Promise<boolean> {
  const { settings, env, terminal, stop } = context;
  const api = createApiClient(settings.url, stop.stopping);
  const account = await ensureDemoAccount(api, join(settings.dataDir, 'demo.json'));
  let isFine = false;
  if (account) {
    const limitMs = 60_000 + 5 * Number(env.RETRY_BASE_MS || 1_000);
    isFine = await runDemo({ api, account, listener, terminal, stopping: stop.stopping, hasChromium, env, limitMs });
  } else {
    terminal.complain('The demo was skipped: registration is closed (REGISTRATION).');
  }
  if (!settings.once) sayHowToUse(terminal, settings, { listener, account, operator });
  return isFine;
}

interface HowToUse extends Pick<Shown, 'listener' | 'operator'> {
  account: DemoAccount | null;
}

function sayHowToUse(terminal: Terminal, { url }: Settings, { listener, account, operator }: HowToUse): void {
  terminal.say(`\n${terminal.bold(`Jobline is running at ${url}`)}`);
  if (account) {
    const body = { type: 'webhook', payload: { url: `${listener.url}/hello`, payload: { hello: 'world' } } };
    const headers = `-H 'X-API-Key: ${account.apiKey}' -H 'Content-Type: application/json'`;
    terminal.say(`  demo login  ${account.email}  ${account.password}`);
    terminal.say(`  API key     ${account.apiKey}`);
    terminal.say(`  try it      curl -X POST ${url}/jobs ${headers} -d '${JSON.stringify(body)}'`);
  }
  terminal.say(`  reference   ${url}/docs`);
  terminal.say(`  queues      ${url}/admin/queues${operator ? `  ${operator.user}  ${operator.password}` : ''}`);
  terminal.say('Ctrl-C stops everything.');
}
