import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '@jobline/db/migrate';
import { findFreePort } from '@jobline/devstack';
import type { Addresses } from '../peer.js';
import { startProcess } from '../processes.js';
import type { System } from '../system.js';
import { openJoblineStore } from './jobline-store.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const submitScript = fileURLToPath(new URL('../submit-process.js', import.meta.url));

/** The product as operators run it: its two processes, told by their environment, called over HTTP with an API key. */
export const jobline: System = {
  name: 'jobline',
  settings:
    'API and worker as in production (NODE_ENV=production, LOG_LEVEL=info, all other settings at their defaults but ' +
    'the rate limit), one of each; HTTP with an API key; a custom no-op handler',

  async start({ dir, redisUrl, database }) {
    const databaseUrl = await database('bench_jobline');
    await migrate(databaseUrl, `${root}prisma/migrations`);
    const shared = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const api = startProcess({
      name: 'jobline api',
      script: `${root}apps/api/dist/main.js`,
      env: {
        ...shared,
        HOST: '127.0.0.1',
        PORT: String(port),
        PUBLIC_URL: url,
        JWT_SECRET: randomBytes(32).toString('hex'),
        REGISTRATION: 'open',
        RATE_LIMIT_SUBMIT_PER_S: '1000000',
      },
      logDir: dir,
    });
    await Promise.race([answers(`${url}/readyz`), api.ready]);
    const account = await register(url);
    const store = await openJoblineStore(databaseUrl, account.orgId);
    const addresses: Addresses = { ...emptyAddresses, http: { url, apiKey: account.apiKey } };
    const env = { BENCH_ADDRESSES: JSON.stringify(addresses) };
    const submitter = startProcess({ name: 'jobline load', script: submitScript, env, logDir: dir });
    await submitter.ready;

    return {
      submitter,
      processes: [api],
      jobs: {
        store,
        takesBatches: (await post(url, '/jobs/batch', {}, { 'X-API-Key': account.apiKey })).status === 400,
        async startWorker() {
          const env = { ...shared, HANDLERS_DIR: `${root}test/bench/handlers` };
          const worker = startProcess({
            name: 'jobline worker',
            script: `${root}apps/worker/dist/main.js`,
            env,
            logDir: dir,
          });
          await Promise.race([store.hasWorker(), worker.ready]);
          return worker;
        },
      },
      async stop() {
        await submitter.stop();
        await api.stop();
        await store.close();
      },
    };
  },
};

const emptyAddresses = { databaseUrl: '', redisUrl: '' };
const READY_LIMIT_MS = 30_000;

async function answers(url: string): Promise<void> {
  for (const until = performance.now() + READY_LIMIT_MS; performance.now() < until; await sleep(50)) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0, // not there yet
    );
    if (status === 200) return;
  }
  throw new Error(`${url} did not answer 200 within ${READY_LIMIT_MS / 1_000} s`);
}

async function register(url: string): Promise<{ orgId: string; apiKey: string }> {
  const email = `bench-${randomBytes(4).toString('hex')}@example.com`;
  const account = await post(url, '/auth/register', { org_name: 'Bench', email, password: 'correct horse' });
  const key = await post(url, '/org/api-keys', { name: 'bench' }, { Authorization: `Bearer ${account.body.token}` });
  if (!key.body.key) throw new Error(`no API key: ${account.status}, ${key.status}`);
  return { orgId: account.body.org.id, apiKey: key.body.key };
}

interface Posted {
  status: number;
  /** As far as it is looked at here. */
  body: { token: string; key: string; org: { id: string } };
}

async function post(url: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Posted> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer as Posted['body'] }; // a missing key shows when it is used
}
