import type { Socket } from 'node:net';
import { type BuiltFiles, DASHBOARD_DIR, readBuilt } from '@jobline/api/pages';
import type { LimitSettings } from '@jobline/api/rate-limits';
import type { ClientLimits } from '@jobline/api/server';
import { type AppSettings, startApi as startRealApi } from '@jobline/api/start';
import type { StreamSettings } from '@jobline/api/streams';
import type { DbOptions } from '@jobline/db';
import type { Catalogue } from '@jobline/handlers';
import type { DirectTimes } from '@jobline/messaging';
import { type Logger, silentLogger } from '@jobline/runtime';
import { type Call, createCall } from './caller.js';
import { HANG_MS } from './hang.js';

export interface TestApi {
  url: string;
  call: Call;
  /** Number of open event streams. */
  openStreams(): number;
  /** Number of open connections. */
  openSockets(): number;
  /** Bytes that the API has written and no client has received yet. */
  unsentBytes(): number;
  stop(): Promise<void>;
}

export interface ApiOptions {
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  catalogue?: Catalogue;
  log?: Logger;
  settings?: Partial<AppSettings>;
  /** Default: practically unlimited, because all requests come from one address. */
  limits?: Partial<LimitSettings>;
  streams?: Partial<StreamSettings>;
  clients?: Partial<ClientLimits>;
  /** The time limits of direct sends. */
  directTimes?: DirectTimes;
  /** Settings of providers, including the variables that select them. */
  providers?: Record<string, string>;
  /** Default: the built dashboard, if there is one. The variable DASHBOARD_DIR names the folder of another build. */
  pages?: BuiltFiles | null;
  /** Time limits of Postgres statements and connections. */
  postgres?: Pick<DbOptions, 'statementTimeoutMs' | 'connectTimeoutMs'>;
  /** Default: none, so secrets are stored in clear text. */
  encryptionKeys?: readonly string[];
  /** How long a batch waits for a concurrent request with the same Idempotency-Key. */
  duplicateWaitMs?: number;
  /** How often alerts are checked. */
  alertsEveryMs?: number;
  /** Maximum number of pending jobs of an organization. */
  orgMaxWaiting?: number;
  /** Name servers, as `address:port`. */
  dnsServers?: readonly string[];
  /** How long an add to Redis may take. */
  redisTimeoutMs?: number;
  /** How long a name server may take. Default: no lookup times out. */
  dnsTimeoutMs?: number;
  /** How long a template may take to render. Default: no rendering times out. */
  renderLimitMs?: number;
}

/** Limits that no test reaches. */
const NO_LIMITS: LimitSettings = {
  submitPerS: 1_000_000,
  submitBytesPerS: 1_000_000_000,
  sendPerMin: 1_000_000,
  controlPerMin: 1_000_000,
  readPerMin: 1_000_000,
  loginPerMin: 1_000_000,
  credentialsPerMin: 1_000_000,
  maxStoredBytes: Number.MAX_SAFE_INTEGER,
};

/** That of `createDb`: a slow machine may need more than the 10 s of production. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** Starts the real API in this process on a free port, with the same function as production. */
export async function startApi(options: ApiOptions): Promise<TestApi> {
  const api = await startRealApi(
    {
      NODE_ENV: 'test',
      DATABASE_URL: options.databaseUrl,
      REDIS_URL: options.redisUrl,
      QUEUE_PREFIX: options.prefix,
      PORT: 0,
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://localhost',
      JWT_SECRET: 'a secret of the tests, long enough for HS256',
      JWT_TTL: 3_600_000,
      ENCRYPTION_KEY: options.encryptionKeys ?? [],
      BCRYPT_COST: 4,
      REGISTRATION: 'open',
      SENDER_IDS: 'open',
      TRUST_PROXY: false,
      TRACE_SAMPLING: 'own',
      CORS_ORIGINS: [],
      MAX_BODY_BYTES: 1024 * 1024,
      MAX_FILE_BYTES: 25 * 1024 * 1024,
      RATE_LIMIT_SUBMIT_PER_S: NO_LIMITS.submitPerS,
      RATE_LIMIT_SUBMIT_BYTES_PER_S: NO_LIMITS.submitBytesPerS,
      RATE_LIMIT_SEND_PER_MIN: NO_LIMITS.sendPerMin,
      RATE_LIMIT_CONTROL_PER_MIN: NO_LIMITS.controlPerMin,
      RATE_LIMIT_READ_PER_MIN: NO_LIMITS.readPerMin,
      RATE_LIMIT_LOGIN_PER_MIN: NO_LIMITS.loginPerMin,
      RATE_LIMIT_CREDENTIALS_PER_MIN: NO_LIMITS.credentialsPerMin,
      MAX_STORED_BYTES_PER_ORG: options.limits?.maxStoredBytes ?? NO_LIMITS.maxStoredBytes,
      RETENTION_DAYS: 30,
      HANDLER_STACKS: 'admins',
      ORG_MAX_WAITING: options.orgMaxWaiting ?? null,
      DNS_SERVERS: options.dnsServers ?? [],
      WORKER_LEASE_MS: 15_000,
      LOG_LEVEL: 'error',
      ...options.providers,
    },
    options.log ?? silentLogger,
    overridesOf(options),
  );
  const sockets = new Set<Socket>();
  api.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const url = `http://127.0.0.1:${api.port}`;
  return {
    url,
    call: createCall(url),
    openStreams: api.openStreams,
    openSockets: () => sockets.size,
    unsentBytes: () => [...sockets].reduce((sum, socket) => sum + socket.writableLength, 0),
    stop: api.stop,
  };
}

function overridesOf(options: ApiOptions): Parameters<typeof startRealApi>[2] {
  const { catalogue, directTimes, redisTimeoutMs, duplicateWaitMs, alertsEveryMs, settings, limits, streams, clients } =
    options;
  return {
    ...(catalogue && { catalogue }),
    ...(directTimes && { directTimes }),
    ...(settings && { settings }),
    limits: { linksPerMin: 1_000_000, ...limits },
    ...(streams && { streams }),
    ...(clients && { clients }),
    ...(redisTimeoutMs !== undefined && { redis: { timeoutMs: redisTimeoutMs } }),
    ...(duplicateWaitMs !== undefined && { duplicates: { duplicateWaitMs } }),
    ...(alertsEveryMs !== undefined && { alerts: { everyMs: alertsEveryMs } }),
    postgres: { statementTimeoutMs: STATEMENT_TIMEOUT_MS, ...options.postgres },
    pages: options.pages === undefined ? readBuilt(process.env.DASHBOARD_DIR ?? DASHBOARD_DIR) : options.pages,
    // With a shorter limit, a slow machine would make Redis look unavailable, and the limits would count from zero.
    limitStore: { timeoutMs: HANG_MS },
    dns: { timeoutMs: options.dnsTimeoutMs ?? HANG_MS, tries: 1 },
    renderLimitMs: options.renderLimitMs ?? HANG_MS,
    finishWithinMs: 0,
  };
}
