import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  type OwnRedis,
  spawnApi,
  spawnWorker,
  startOwnRedis,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let redis: OwnRedis;
let env: Record<string, string>;
beforeEach(async () => {
  [world, redis] = await Promise.all([createWorld(), startOwnRedis()]);
  env = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url };
});
afterEach(async () => {
  await world.end();
  await redis.end();
});

it('both apps check their Redis at the start, a worker also checks its browser, and both report problems', async () => {
  const api = await spawnApi(env);
  const worker = await spawnWorker({ ...env, PUPPETEER_EXECUTABLE_PATH: '/nowhere/chromium' });
  try {
    for (const app of [api, worker]) {
      await until('the API to report the problem of Redis', () =>
        app.output().includes('Redis does not persist its data: set appendonly yes'),
      );
    }
    await until('the worker to report the missing browser', () => worker.output().includes('/nowhere/chromium'));
    expect(worker.output()).toContain('generate_pdf will fail here');
  } finally {
    await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')]);
  }
});

it('a worker that consumes only the queue of the browser is not ready if its browser cannot start', async () => {
  const nowhere = { PUPPETEER_EXECUTABLE_PATH: '/nowhere/chromium', WORKER_PORT: '0', WORKER_HOST: '127.0.0.1' };
  const worker = await spawnWorker({ ...env, ...nowhere, WORKER_QUEUES: 'browser:1', LOG_LEVEL: 'info' });
  try {
    const port = await until('the worker to listen', () => /"port":(\d+)/.exec(worker.output())?.[1]);
    const answer = await until('the worker to be checked', async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
      return text.includes('Chromium') && text;
    });
    expect(answer).toContain(
      'This worker is not ready: generate_pdf will fail here, because PUPPETEER_EXECUTABLE_PATH',
    );
  } finally {
    await worker.kill('SIGTERM');
  }
});

it('a worker whose port is in use reports it in one sentence and exits', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number }; // not a pipe
  try {
    const worker = await spawnWorker({ ...env, WORKER_PORT: String(port), WORKER_HOST: '127.0.0.1' });
    await worker.ended;

    expect(worker.output().trim()).toBe(
      `Port ${port} on 127.0.0.1 is used by another process: stop that process or set WORKER_PORT.`,
    );
  } finally {
    other.close();
  }
});
