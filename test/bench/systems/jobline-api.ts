import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '@jobline/db/migrate';
import { findFreePort } from '@jobline/devstack';
import { type Process, startProcess } from '../processes.js';
import type { Services } from '../services.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The product's API as operators run it, with its own database, and an organization. */
export interface JoblineApi {
  url: string;
  databaseUrl: string;
  orgId: string;
  token: string;
  apiKey: string;
  process: Process;
  stop(): Promise<void>;
}

export async function startJoblineApi(
  { dir, redisUrl, database }: Pick<Services, 'dir' | 'redisUrl' | 'database'>,
  name: string,
): Promise<JoblineApi> {
  const databaseUrl = await database(name);
  await migrate(databaseUrl, `${root}prisma/migrations`);
  const { url, process } = await startApiProcess({ dir, redisUrl, databaseUrl });
  return { url, databaseUrl, ...(await register(url)), process, stop: process.stop };
}

export async function startApiProcess(options: {
  dir: string;
  redisUrl: string;
  databaseUrl: string;
  name?: string;
}): Promise<{ url: string; process: Process }> {
  const { dir, redisUrl, databaseUrl, name = 'jobline api' } = options;
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const process = startProcess({
    name,
    script: `${root}apps/api/dist/main.js`,
    nodeArgs: nodeArgsOf('api'),
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      JWT_SECRET: randomBytes(32).toString('hex'),
      REGISTRATION: 'open',
      RATE_LIMIT_SUBMIT_PER_S: '1000000',
      RATE_LIMIT_SUBMIT_BYTES_PER_S: '1000000000',
      RATE_LIMIT_READ_PER_MIN: '1000000000',
      RATE_LIMIT_LOGIN_PER_MIN: '1000',
    },
    logDir: dir,
  });
  await Promise.race([answers(`${url}/readyz`), process.ready]);
  return { url, process };
}

/** The arguments of Node itself in the image of an app. */
export function nodeArgsOf(app: 'api' | 'worker'): string[] {
  const dockerfile = readFileSync(`${root}docker/${app}.Dockerfile`, 'utf8');
  const [, command] = /^CMD (\["node".*\])$/m.exec(dockerfile) ?? [];
  if (!command) throw new Error(`no command in docker/${app}.Dockerfile`);
  return JSON.parse(command).slice(1, -1);
}

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

/** Registers an organization. */
export async function register(url: string): Promise<{ orgId: string; token: string; apiKey: string }> {
  const email = `bench-${randomBytes(4).toString('hex')}@example.com`;
  const account = await post(url, '/auth/register', { org_name: 'Bench', email, password: 'correct horse' });
  const key = await post(url, '/org/api-keys', { name: 'bench' }, { Authorization: `Bearer ${account.body.token}` });
  if (!key.body.key) throw new Error(`no API key: ${account.status}, ${key.status}`);
  return { orgId: account.body.org.id, token: account.body.token, apiKey: key.body.key };
}

export interface Posted {
  status: number;
  /** The fields that are used here. */
  body: { token: string; key: string; org: { id: string } };
}

export async function post(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Posted> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer as Posted['body'] }; // a missing key shows when it is used
}
