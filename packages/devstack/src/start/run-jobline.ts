import { join } from 'node:path';
import { styleText } from 'node:util';
import { runDemo } from '../demo/demo.js';
import { type DemoAccount, ensureDemoAccount } from '../demo/demo-account.js';
import { type Listener, startListener } from '../demo/listener.js';
import { listenError } from '../processes/ports.js';
import { PlainError, type Terminal } from '../processes/terminal.js';
import { readOrCreateSecret } from '../servers/server.js';
import type { Context } from './context.js';
import type { Options } from './options.js';
import { provideChromium, provideDatabase, provideRedis } from './provide.js';
import { type Apps, runApps } from './run-apps.js';

/** Starts everything in order and runs the demo. Resolves with false if the demo failed. */
export async function runJobline(context: Context, apps: Apps): Promise<boolean> {
  const { options, env, terminal, stop } = context;
  await checkPort(options);
  const [databaseUrl, redisUrl] = await Promise.all([provideDatabase(context), provideRedis(context)]);
  // After Redis, because package managers do one thing at a time.
  const hasChromium = await provideChromium(context);
  const listener = await startListener(terminal.detail);
  const operator = operatorOf(context);
  await runApps(context, apps, {
    ...env,
    NODE_ENV: env.NODE_ENV || 'development',
    // Chromium does not start with its sandbox as root, which is the user in many development containers.
    CHROMIUM_SANDBOX: env.CHROMIUM_SANDBOX || (process.getuid?.() === 0 ? 'off' : 'on'),
    ...(operator && { OPERATOR_USER: operator.user, OPERATOR_PASSWORD: operator.password }),
    DATA_DIR: env.DATA_DIR || options.dataDir,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PUBLIC_URL: env.PUBLIC_URL || `http://localhost:${options.port}`,
    JWT_SECRET: env.JWT_SECRET || readOrCreateSecret(join(options.dataDir, 'jwt-secret')),
    OUTBOUND_ALLOW_HOSTS: [listener.host, env.OUTBOUND_ALLOW_HOSTS].filter(Boolean).join(','),
    HANDLERS_DIR: options.handlersDir,
  });
  terminal.detail(`The API and a worker are running; the logs are in ${join(options.dataDir, 'logs')}.`);

  const { url } = options;
  const account = await ensureDemoAccount(url, join(options.dataDir, 'demo.json'));
  let isGood = false;
  if (account) {
    const limitMs = 60_000 + 5 * Number(env.RETRY_BASE_MS || 1_000);
    isGood = await runDemo({ url, account, listener, terminal, stopping: stop.stopping, hasChromium, env, limitMs });
  } else terminal.warn('The demo was skipped: registration is closed (REGISTRATION).');
  if (!options.once) explainUse(terminal, options, { listener, account, operator });
  return isGood;
}

/** Generated, unless the environment sets one; a password from the environment is not printed. */
function operatorOf({ env, options }: Context) {
  if (env.OPERATOR_USER || env.OPERATOR_PASSWORD) return null;
  return { user: 'operator', password: readOrCreateSecret(join(options.dataDir, 'operator-password')) };
}

async function checkPort({ host, port }: Options): Promise<void> {
  const error = await listenError(port, host);
  if (error === 'EADDRINUSE')
    throw new PlainError(`Port ${port} of ${host} is in use; choose another one: \`PORT=${port + 1} npm start\`.`);
  if (error) throw new PlainError(`Port ${port} of ${host} cannot be opened (${error}); set another PORT or HOST.`);
}

interface Access {
  listener: Listener;
  account: DemoAccount | null;
  operator: ReturnType<typeof operatorOf>;
}

function explainUse(terminal: Terminal, { url }: Options, { listener, account, operator }: Access): void {
  terminal.say(`\n${styleText('bold', `Jobline is running at ${url}`)}`);
  terminal.say(`  dashboard   ${url}`);
  if (account) {
    const body = { type: 'webhook', payload: { url: `${listener.url}/hello`, payload: { hello: 'world' } } };
    const headers = `-H 'X-API-Key: ${account.apiKey}' -H 'Content-Type: application/json'`;
    terminal.say(`  demo login  ${account.email}  ${account.password}`);
    terminal.say(`  API key     ${account.apiKey}`);
    terminal.say(`  try it      curl -X POST ${url}/jobs ${headers} -d '${JSON.stringify(body)}'`);
    terminal.say('  commands    in another shell, in this folder:');
    terminal.say(`              export JOBLINE_URL=${url} JOBLINE_API_KEY=${account.apiKey}`);
    terminal.say(`              ID=$(npx jobline submit ${body.type} --payload '${JSON.stringify(body.payload)}')`);
    terminal.say('              npx jobline logs "$ID" --follow');
    terminal.say('              npx jobline list');
  }
  terminal.say(`  reference   ${url}/docs`);
  terminal.say(`  queues      ${url}/admin/queues${operator ? `  ${operator.user}  ${operator.password}` : ''}`);
  terminal.say('Ctrl-C stops everything.');
}
