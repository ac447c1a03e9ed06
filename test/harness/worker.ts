import { type Catalogue, QUEUES } from '@jobline/handlers';
import { type Logger, silentLogger } from '@jobline/runtime';
import { type RunningWorker, startWorker } from '@jobline/worker/start';
import { HANG_MS } from './hang.js';
import { CHROMIUM_SANDBOX } from './sandbox.js';

export interface WorkerOptions {
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  catalogue?: Catalogue;
  log?: Logger;
  /** `host:port` that webhooks may reach. */
  allowHosts?: readonly string[];
  /** Name servers, as `address:port`. Absent: those of the machine. */
  dnsServers?: readonly string[];
  /** Path of the browser; absent: it is detected. */
  executablePath?: string;
  /** The version that it names; absent: none. */
  version?: string;
  concurrency?: number;
  /** The queues that it consumes; absent: the built-in ones and those of its handlers. */
  queues?: readonly string[];
  /** The job types that it takes; absent: all. */
  types?: readonly string[];
  /** The value of production unless given: short leases are for tests of dead workers. */
  leaseMs?: number;
  /** Jobs fail whose handler has been missing for this long. */
  noHandlerAfterMs?: number;
  /** Where it serves its health, and the credentials of the operator. */
  health?: { WORKER_PORT: number; OPERATOR_USER?: string; OPERATOR_PASSWORD?: string };
  /** Settings of providers, and the variables that choose the providers. */
  providers?: Record<string, string>;
  /** Entries kept in Redis per queue. */
  window?: number;
  /** Empty unless given: secrets are stored unencrypted. */
  encryptionKeys?: readonly string[];
  /** The operator's bound of the running jobs of each organization. */
  orgMaxRunning?: number;
  /** Maximum number of pending jobs of an organization. */
  orgMaxWaiting?: number;
  /** How much an organization may store. Practically unlimited unless given. */
  maxStoredBytes?: number;
  retryBaseMs?: number;
  retentionDays?: number;
  handlerStacks?: 'admins' | 'members' | 'off';
  /** How many messages of each kind the jobs of an organization may send. Practically unlimited unless given. */
  jobSendsPerMin?: number;
  /** How long the worker waits for a handler that ignores its signal. */
  graceMs?: number;
  /** How long the worker waits for maintenance when it stops. Default: until it ends, because it uses the database. */
  maintenanceMs?: number;
  /** Memory for large payloads, if it differs from the default. */
  payloadBytes?: number;
  /** Memory for the files and artifacts that attempts have read, if it differs from the default. */
  sourceBytes?: number;
}

/** The real worker in this process. Retries wait 20 ms instead of a second. */
export function startTestWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { concurrency = 50 } = options;
  const queues = options.queues ?? [...QUEUES, ...[...(options.catalogue?.values() ?? [])].map(({ queue }) => queue)];
  const executablePath = options.executablePath ?? process.env.PUPPETEER_EXECUTABLE_PATH;
  return startWorker(
    {
      NODE_ENV: 'test',
      DATABASE_URL: options.databaseUrl,
      REDIS_URL: options.redisUrl,
      QUEUE_PREFIX: options.prefix,
      LOG_LEVEL: 'error',
      WORKER_QUEUES: new Map(queues.map((queue) => [queue, concurrency])),
      WORKER_TYPES: options.types ?? [],
      QUEUE_WINDOW: options.window ?? null,
      ORG_MAX_RUNNING: options.orgMaxRunning ?? null,
      ORG_MAX_WAITING: options.orgMaxWaiting ?? null,
      MAX_STORED_BYTES_PER_ORG: options.maxStoredBytes ?? Number.MAX_SAFE_INTEGER,
      WORKER_LEASE_MS: options.leaseMs ?? 15_000,
      WORKER_DRAIN: 30_000,
      NO_HANDLER_AFTER: options.noHandlerAfterMs ?? 15 * 60_000,
      RETENTION_DAYS: options.retentionDays ?? 30,
      HANDLER_STACKS: options.handlerStacks ?? 'admins',
      RETRY_BASE_MS: options.retryBaseMs ?? 20,
      RETRY_MAX_MS: 3_600_000,
      RATE_LIMIT_JOB_SENDS_PER_MIN: options.jobSendsPerMin ?? 1_000_000,
      DNS_SERVERS: options.dnsServers ?? [],
      OUTBOUND_ALLOW_HOSTS: options.allowHosts ?? [],
      HANDLERS_DIR: [],
      WORKER_HOST: '127.0.0.1',
      CHROMIUM_SANDBOX,
      ENCRYPTION_KEY: options.encryptionKeys ?? [],
      ...(options.version !== undefined && { WORKER_VERSION: options.version }),
      ...options.health,
      ...options.providers,
      ...(executablePath && { PUPPETEER_EXECUTABLE_PATH: executablePath }),
    },
    options.log ?? silentLogger,
    {
      reconcileEveryMs: 1_000,
      maintenanceMs: options.maintenanceMs ?? HANG_MS,
      ...(options.catalogue && { catalogue: options.catalogue }),
      ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
      ...(options.payloadBytes !== undefined && { payloadBytes: options.payloadBytes }),
      ...(options.sourceBytes !== undefined && { sourceBytes: options.sourceBytes }),
    },
  );
}
