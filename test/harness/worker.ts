import { type Catalogue, QUEUES, type QueueName } from '@jobline/handlers';
import { type Logger, silentLogger } from '@jobline/runtime';
import { type RunningWorker, startWorker } from '@jobline/worker/start';
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
  concurrency?: number;
  /** The queues that it consumes; absent: all. */
  queues?: readonly QueueName[];
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
  /** How much an organization may store. Practically unlimited unless given. */
  maxStoredBytes?: number;
  retryBaseMs?: number;
  retentionDays?: number;
  /** How many messages of each kind the jobs of an organization may send. Practically unlimited unless given. */
  jobSendsPerMin?: number;
  /** How long the worker waits for a handler that ignores its signal. */
  graceMs?: number;
  /** Memory for large payloads, if it differs from the default. */
  payloadBytes?: number;
}

/** The real worker in this process. Retries wait 20 ms instead of a second. */
export function startTestWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { concurrency = 50 } = options;
  const executablePath = options.executablePath ?? process.env.PUPPETEER_EXECUTABLE_PATH;
  return startWorker(
    {
      NODE_ENV: 'test',
      DATABASE_URL: options.databaseUrl,
      REDIS_URL: options.redisUrl,
      QUEUE_PREFIX: options.prefix,
      LOG_LEVEL: 'error',
      WORKER_QUEUES: new Map((options.queues ?? QUEUES).map((queue) => [queue, concurrency])),
      QUEUE_WINDOW: options.window ?? null,
      ORG_MAX_RUNNING: options.orgMaxRunning ?? null,
      MAX_STORED_BYTES_PER_ORG: options.maxStoredBytes ?? Number.MAX_SAFE_INTEGER,
      WORKER_LEASE_MS: options.leaseMs ?? 15_000,
      NO_HANDLER_AFTER: options.noHandlerAfterMs ?? 15 * 60_000,
      RETENTION_DAYS: options.retentionDays ?? 30,
      RETRY_BASE_MS: options.retryBaseMs ?? 20,
      RETRY_MAX_MS: 3_600_000,
      RATE_LIMIT_JOB_SENDS_PER_MIN: options.jobSendsPerMin ?? 1_000_000,
      DNS_SERVERS: options.dnsServers ?? [],
      OUTBOUND_ALLOW_HOSTS: options.allowHosts ?? [],
      HANDLERS_DIR: [],
      WORKER_HOST: '127.0.0.1',
      CHROMIUM_SANDBOX,
      ENCRYPTION_KEY: options.encryptionKeys ?? [],
      ...options.health,
      ...options.providers,
      ...(executablePath && { PUPPETEER_EXECUTABLE_PATH: executablePath }),
    },
    options.log ?? silentLogger,
    {
      reconcileEveryMs: 1_000,
      ...(options.catalogue && { catalogue: options.catalogue }),
      ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
      ...(options.payloadBytes !== undefined && { payloadBytes: options.payloadBytes }),
    },
  );
}
