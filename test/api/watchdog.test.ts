import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, spawnApi, until, type World } from '../harness/index.js';

/** Loaded before the app: after the signal, the event loop is blocked and uses CPU time. */
const FREEZES_ON_SIGNAL = "process.on('SIGUSR2', () => { for (;;); });";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it('an API process with a blocked event loop ends and logs why, so that its supervisor restarts it', async () => {
  const api = await spawnApi({
    NODE_ENV: 'development',
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: world.redisUrl,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FREEZES_ON_SIGNAL)}`,
  });
  await until('the API to answer', async () => (await fetch(`${api.url}/healthz`)).ok);

  process.kill(api.pid, 'SIGUSR2');
  await api.ended;

  const [last = ''] = api.output().trim().split('\n').slice(-1);
  const line = JSON.parse(last);
  expect(line).toEqual({
    app: 'api',
    level: 'error',
    message: expect.stringMatching(/^the event loop was blocked for \d+ ms: killing the process$/),
    timestamp: expect.any(String),
  });
  const [blockedMs] = /\d+/.exec(line.message) ?? [];
  expect(Number(blockedMs)).toBeGreaterThan(4_500);
});
