import { type AppProcess, spawnApi, spawnWorker } from './app-process.js';
import { type Call, createCall } from './caller.js';
import { type Family, readExposition } from './exposition.js';
import { type OwnRedis, startOwnRedis } from './own-redis.js';
import { until } from './until.js';
import { createWorld, type World } from './world.js';

/** Both apps as operators run and monitor them: separate processes, configured by their environment. */
export interface WatchedApps {
  world: World;
  redis: OwnRedis;
  api: AppProcess & { url: string };
  worker: AppProcess & { url: string };
  call: Call;
  /** The metrics of an app, as text and as Prometheus reads them. */
  metrics(app: 'api' | 'worker'): Promise<{ text: string; families: ReadonlyMap<string, Family> }>;
  end(): Promise<void>;
}

export const OPERATOR = { OPERATOR_USER: 'ops', OPERATOR_PASSWORD: 'a password of operators' };
export const OPERATOR_HEADERS = {
  authorization: `Basic ${Buffer.from(`${OPERATOR.OPERATOR_USER}:${OPERATOR.OPERATOR_PASSWORD}`).toString('base64')}`,
};

/** `env` gets the world, for the addresses of servers that it has started. */
export async function startWatchedApps(
  env: (world: World) => Promise<Record<string, string>> = async () => ({}),
): Promise<WatchedApps> {
  const world = await createWorld();
  const redis = await startOwnRedis();
  const shared = {
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'info',
    JWT_SECRET: 'a secret of the tests, long enough for HS256',
    WORKER_LEASE_MS: '2000',
    ...OPERATOR,
    ...(await env(world)),
  };
  const api = await spawnApi({ BCRYPT_COST: '4', ...shared });
  const process = await spawnWorker({ WORKER_PORT: '0', WORKER_HOST: '127.0.0.1', ...shared });
  const port = await until('the worker to listen', () => /"port":(\d+)/.exec(process.output())?.[1]);
  const worker = { ...process, url: `http://127.0.0.1:${port}` };
  return {
    world,
    redis,
    api,
    worker,
    call: createCall(api.url),
    async metrics(app) {
      const answer = await fetch(`${{ api, worker }[app].url}/metrics`, { headers: OPERATOR_HEADERS });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${app}: ${answer.status} ${text}`);
      return { text, families: readExposition(text) };
    },
    async end() {
      await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')]);
      await world.end();
      await redis.end();
    },
  };
}
