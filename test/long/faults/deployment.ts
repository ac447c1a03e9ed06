import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@jobline/db/migrate';
import { type AppProcess, spawnApi, spawnWorker } from '../../harness/app-process.js';
import type { Servers } from './servers.js';

/** The apps of one installation, as operators run them: two APIs and two workers. */
export interface Deployment {
  databaseUrl: string;
  /** Reaches Postgres without a proxy. */
  directUrl: string;
  apis: ApiProcess[];
  workers: AppProcess[];
  /** The addresses that callers know: those of the API processes, and those of the last ones if none is left. */
  urls(): string[];
  /** Starts another process, in addition to the others. */
  addApi(changes?: AppChanges): Promise<void>;
  addWorker(changes?: AppChanges): Promise<void>;
  /** Ends a process. Callers learn it before a SIGTERM, and after a SIGKILL. */
  remove(app: AppProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export type ApiProcess = AppProcess & { url: string };

export interface AppChanges {
  env?: Record<string, string>;
  /** The folder of another build. */
  root?: string;
}

export interface DeploymentOptions {
  servers: Servers;
  /** `host:port` of the recorder. */
  recorder: { url: string; host: string };
  prefix: string;
  /** The folder of the build, if it is not this one. */
  root?: string;
  /** Gets what ends the processes, also if the start fails. */
  defer(end: () => Promise<unknown>): void;
  /** Settings of the n-th process. */
  envOf?(n: number): Record<string, string>;
}

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HANDLERS = fileURLToPath(new URL('handlers', import.meta.url));
const PROCESSES = 2;

export async function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const { servers, recorder, prefix, root = ROOT, envOf = () => ({}) } = options;
  const { url: databaseUrl, directUrl } = await servers.createDatabase();
  await migrate(directUrl, join(root, 'prisma/migrations'));
  const common = { ...settingsOf(recorder), DATABASE_URL: databaseUrl, REDIS_URL: servers.redisUrl };
  const apis: ApiProcess[] = [];
  const workers: AppProcess[] = [];
  let known: string[] = [];
  let started = 0;

  const changed = (changes: AppChanges): [Record<string, string>, { root?: string }] => [
    { ...common, QUEUE_PREFIX: prefix, ...envOf(started++), ...changes.env },
    { root: changes.root ?? root },
  ];
  async function addApi(changes: AppChanges = {}): Promise<void> {
    apis.push(await spawnApi(...changed(changes)));
  }
  async function addWorker(changes: AppChanges = {}): Promise<void> {
    workers.push(await spawnWorker(...changed(changes)));
  }

  options.defer(() => Promise.all([...apis, ...workers].map((app) => app.kill('SIGTERM'))));
  for (let n = 0; n < PROCESSES; n++) await Promise.all([addApi(), addWorker()]);
  return {
    databaseUrl,
    directUrl,
    apis,
    workers,
    urls() {
      if (apis.length > 0) known = apis.map(({ url }) => url);
      return known;
    },
    addApi,
    addWorker,
    async remove(app, signal) {
      const forget = () => {
        for (const list of [apis, workers]) list.splice(0, list.length, ...list.filter((one) => one !== app));
      };
      if (signal === 'SIGTERM') forget();
      await app.kill(signal);
      forget();
    },
  };
}

/** The defaults of production, without rate limits, and with the recorder in place of the providers. */
function settingsOf({ url, host }: { url: string; host: string }): Record<string, string> {
  const unlimited = '1000000000';
  return {
    JWT_SECRET: 'a secret of the tests, long enough for HS256',
    BCRYPT_COST: '4',
    RATE_LIMIT_SUBMIT_PER_S: unlimited,
    RATE_LIMIT_SUBMIT_BYTES_PER_S: unlimited,
    RATE_LIMIT_READ_PER_MIN: unlimited,
    RATE_LIMIT_JOB_SENDS_PER_MIN: unlimited,
    HANDLERS_DIR: HANDLERS,
    OUTBOUND_ALLOW_HOSTS: host,
    SMS_PROVIDER: 'africastalking',
    SMS_API_KEY: 'a-key-of-the-tests',
    SMS_USERNAME: 'faults',
    SMS_BASE_URL: url,
    TEAM_CHAT_PROVIDER: 'slack',
    TEAM_CHAT_API_KEY: 'a-token-of-the-tests',
    TEAM_CHAT_BASE_URL: url,
  };
}
