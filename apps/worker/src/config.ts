import { DEFAULT_PREFIX, PREFIX_PATTERN, redisUrlFault } from '@jobline/engine';
import { QUEUES } from '@jobline/handlers';
import {
  allowHostIssue,
  artifactStores,
  type ChosenChromium,
  chatProviders,
  emailProviders,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
} from '@jobline/providers';
import {
  durationSetting,
  encryptionKeysSetting,
  laxEnvironment,
  nameServersSetting,
  nodeEnvSetting,
  type OperatorSettings,
  operatorSchema,
  strongSecret,
} from '@jobline/runtime';
import Joi from 'joi';

/** What this process reads from its environment, beside the providers and their settings, which only they look at. */
export interface Config extends OperatorSettings {
  /** `development` and `test` make rules lax. */
  NODE_ENV: string;
  DATABASE_URL: string;
  REDIS_URL: string;
  /** What the keys of the queues in Redis begin with, as the API has it. */
  QUEUE_PREFIX: string;
  /** What secrets of organizations are encrypted under, as the API has it. */
  ENCRYPTION_KEY: readonly string[];
  LOG_LEVEL: string;
  /** Where the worker tells of its health and its figures; absent: nowhere. */
  WORKER_PORT?: number;
  WORKER_HOST: string;
  /** Where spans are sent; absent: nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** Queue → how many of its jobs run at once. */
  WORKER_QUEUES: ReadonlyMap<string, number>;
  /** Entries kept in Redis per queue; null: three times what its live workers run at once. */
  QUEUE_WINDOW: number | null;
  /** A worker not heard of for so long is dead. */
  WORKER_LEASE_MS: number;
  /** Milliseconds: jobs whose handler has been away for so long fail. */
  NO_HANDLER_AFTER: number;
  /** Finished jobs are deleted after so many days. */
  RETENTION_DAYS: number;
  RETRY_BASE_MS: number;
  RETRY_MAX_MS: number;
  /** What the jobs of an organization may send, each kind by itself. */
  RATE_LIMIT_JOB_SENDS_PER_MIN: number;
  /** Private hosts that tenants' addresses may reach all the same. */
  OUTBOUND_ALLOW_HOSTS: readonly string[];
  /** The name servers that hosts which organizations name are looked up at; none: those of the machine. */
  DNS_SERVERS: readonly string[];
  /** What proves reports of payments to be the provider's; read by `mpesa` alone. */
  PAYMENTS_WEBHOOK_SECRET?: string;
  /** Folders of custom handlers, from the working directory. */
  HANDLERS_DIR: readonly string[];
  /** The Chromium that makes PDFs; else it is looked for. */
  PUPPETEER_EXECUTABLE_PATH?: string;
  /** Off: Chromium runs without its own sandbox, as it must where it is root or may make no user namespaces. */
  CHROMIUM_SANDBOX: 'on' | 'off';
}

export const MIN_CALLBACK_SECRET_BYTES = 16;
const DEFAULT_NO_HANDLER_AFTER_MS = 15 * 60_000;

const own = Joi.object<Config>({
  NODE_ENV: nodeEnvSetting,
  DATABASE_URL: Joi.string()
    .uri({ scheme: ['postgres', 'postgresql'] })
    .required(),
  REDIS_URL: Joi.string().custom(parseRedis).required(),
  QUEUE_PREFIX: Joi.string().pattern(PREFIX_PATTERN).default(DEFAULT_PREFIX),
  ENCRYPTION_KEY: encryptionKeysSetting,
  LOG_LEVEL: Joi.string().valid('debug', 'info', 'warn', 'error').default('info'),
  WORKER_PORT: Joi.number().port(),
  WORKER_HOST: Joi.string().hostname().default('0.0.0.0'),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string().uri({ scheme: ['http', 'https'] }),
  WORKER_QUEUES: Joi.string()
    .custom(parseQueues)
    .default(() => parseQueues('io:200,cpu:2,browser:2')),
  QUEUE_WINDOW: Joi.number().integer().min(1).max(1_000_000).default(null),
  WORKER_LEASE_MS: Joi.number().integer().min(500).max(600_000).default(15_000),
  NO_HANDLER_AFTER: durationSetting().default(DEFAULT_NO_HANDLER_AFTER_MS),
  RETENTION_DAYS: Joi.number().integer().min(1).max(36_500).default(30),
  RETRY_BASE_MS: Joi.number().integer().min(1).default(1_000),
  RETRY_MAX_MS: Joi.number().integer().min(1).default(3_600_000),
  RATE_LIMIT_JOB_SENDS_PER_MIN: Joi.number().integer().min(1).max(1_000_000_000).default(6_000),
  OUTBOUND_ALLOW_HOSTS: Joi.string()
    .custom(parseHosts)
    .default(() => []),
  DNS_SERVERS: nameServersSetting(),
  HANDLERS_DIR: Joi.string()
    .custom(parseList)
    .default(() => []),
  PUPPETEER_EXECUTABLE_PATH: Joi.string(),
  CHROMIUM_SANDBOX: Joi.string().valid('on', 'off').default('on'),
});

/** Whose schemas name the variables that choose among them, and the settings of the chosen. */
const kinds = [
  artifactStores,
  chatProviders,
  emailProviders,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
];

export const configSchema = [operatorSchema, ...kinds.map(({ schema }) => schema)]
  .reduce<Joi.ObjectSchema<Config>>((schema, other) => schema.concat(other), own)
  .when(laxEnvironment, {
    otherwise: Joi.object({ PAYMENTS_WEBHOOK_SECRET: strongSecret({ minBytes: MIN_CALLBACK_SECRET_BYTES }) }),
  });

/** The browser of PDFs, as the environment names it. */
export function chosenChromium(config: Pick<Config, 'PUPPETEER_EXECUTABLE_PATH' | 'CHROMIUM_SANDBOX'>): ChosenChromium {
  return { executablePath: config.PUPPETEER_EXECUTABLE_PATH, isSandboxed: config.CHROMIUM_SANDBOX === 'on' };
}

function parseRedis(text: string): string {
  const fault = redisUrlFault(text);
  if (fault) throw new Error(fault);
  return text;
}

/** `io:200,cpu:2` → the two queues and their concurrency. */
function parseQueues(text: string): ReadonlyMap<string, number> {
  const queues = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name = '', concurrency] = /^\s*([a-z]+):([1-9]\d{0,3})\s*$/.exec(part) ?? [];
    const isKnown = QUEUES.some((queue) => queue === name);
    if (!isKnown || queues.has(name)) {
      throw new Error(`has "${part.trim()}": write queue:concurrency, each of ${QUEUES.join(', ')} once at most`);
    }
    queues.set(name, Number(concurrency));
  }
  return queues;
}

/** `host,host:port` → the entries, each one that the guard understands. */
function parseHosts(text: string): readonly string[] {
  const hosts = parseList(text);
  const fault = hosts.map(allowHostIssue).find((found) => found !== null);
  if (fault) throw new Error(fault);
  return hosts;
}

function parseList(text: string): readonly string[] {
  return text.split(',').flatMap((part) => part.trim() || []);
}
