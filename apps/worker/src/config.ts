import { DEFAULT_PREFIX, DEFAULT_STORED_BYTES, PREFIX_PATTERN, redisUrlProblem } from '@jobline/engine';
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
  encryptionWarnings,
  isProduction,
  MIN_OPERATOR_PASSWORD_BYTES,
  nameServersSetting,
  nodeEnvSetting,
  type OperatorSettings,
  openPortWarnings,
  operatorSchema,
  relaxedEnvironment,
  removedSettings,
  strongSecret,
  weakSecretWarnings,
} from '@jobline/runtime';
import Joi from 'joi';

/** The environment variables of this process, without the settings of the providers, which only the providers read. */
export interface Config extends OperatorSettings {
  /** `development` and `test` relax some rules. */
  NODE_ENV: string;
  DATABASE_URL: string;
  REDIS_URL: string;
  /** The prefix of the queue keys in Redis. It must be the same as that of the API. */
  QUEUE_PREFIX: string;
  /** The keys that encrypt the secrets of organizations. They must be the same as those of the API. */
  ENCRYPTION_KEY: readonly string[];
  LOG_LEVEL: string;
  /** The port of the health checks and metrics. If it is absent, they are not served. */
  WORKER_PORT?: number;
  WORKER_HOST: string;
  /** The address for spans. If it is absent, nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** Maps each queue to the number of its jobs that run at the same time. */
  WORKER_QUEUES: ReadonlyMap<string, number>;
  /** About how many jobs of a queue may wait in Redis. Null means three times the number of slots of its live workers. */
  QUEUE_WINDOW: number | null;
  /** Maximum number of running jobs of an organization, over all workers. Null: there is none. */
  ORG_MAX_RUNNING: number | null;
  /** How much an organization may store. It must be the same as that of the API. */
  MAX_STORED_BYTES_PER_ORG: number;
  /** A worker is dead if it has sent no heartbeat for this time. */
  WORKER_LEASE_MS: number;
  /** In milliseconds. Jobs fail if no worker has had their handler for this time. */
  NO_HANDLER_AFTER: number;
  /** Number of days after which finished jobs are deleted. It must be the same as that of the API. */
  RETENTION_DAYS: number;
  RETRY_BASE_MS: number;
  RETRY_MAX_MS: number;
  /** How much the jobs of one organization may send per minute, for each kind of message. */
  RATE_LIMIT_JOB_SENDS_PER_MIN: number;
  /** Private hosts that addresses of tenants may reach. */
  OUTBOUND_ALLOW_HOSTS: readonly string[];
  /** The name servers that resolve hosts given by organizations. If there are none, those of the machine. */
  DNS_SERVERS: readonly string[];
  /** The secret that authenticates payment callbacks of the provider. Only `mpesa` reads it. */
  PAYMENTS_WEBHOOK_SECRET?: string;
  /** Folders of custom handlers, relative to the working directory. */
  HANDLERS_DIR: readonly string[];
  /** The Chromium that makes PDFs. If it is absent, it is searched for. */
  PUPPETEER_EXECUTABLE_PATH?: string;
  /**
   * If it is `off`, Chromium runs without its own sandbox, which is necessary if it runs as root or may not create
   * user namespaces.
   */
  CHROMIUM_SANDBOX: 'on' | 'off';
}

const MIN_CALLBACK_SECRET_BYTES = 16;
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
    .default(() => parseQueues('io:200,cpu:2,browser:2,events:200')),
  QUEUE_WINDOW: Joi.number().integer().min(1).max(1_000_000).default(null),
  ORG_MAX_RUNNING: Joi.number().integer().min(1).max(1_000_000).default(null),
  MAX_STORED_BYTES_PER_ORG: Joi.number().integer().min(1).default(DEFAULT_STORED_BYTES),
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

/**
 * The provider kinds. Their schemas contain the variable that chooses a provider, and the settings of the chosen one.
 */
const kinds = [
  artifactStores,
  chatProviders,
  emailProviders,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
];

export const configSchema = [operatorSchema, removedSettings, ...kinds.map(({ schema }) => schema)]
  .reduce<Joi.ObjectSchema<Config>>((schema, other) => schema.concat(other), own)
  .when(relaxedEnvironment, {
    otherwise: Joi.object({ PAYMENTS_WEBHOOK_SECRET: strongSecret({ minBytes: MIN_CALLBACK_SECRET_BYTES }) }),
  });

/** Returns the browser for PDFs from the configuration. */
export function chosenChromium(config: Pick<Config, 'PUPPETEER_EXECUTABLE_PATH' | 'CHROMIUM_SANDBOX'>): ChosenChromium {
  return { executablePath: config.PUPPETEER_EXECUTABLE_PATH, isSandboxed: config.CHROMIUM_SANDBOX === 'on' };
}

/**
 * Returns a warning for each insecure setting that this worker accepts, for the log at its start. Empty if all
 * settings are strict.
 */
export function relaxedRules(config: Config): string[] {
  const isListening = config.WORKER_PORT !== undefined;
  return [
    ...weakSecretWarnings([
      { name: 'OPERATOR_PASSWORD', secret: config.OPERATOR_PASSWORD, minBytes: MIN_OPERATOR_PASSWORD_BYTES },
      { name: 'PAYMENTS_WEBHOOK_SECRET', secret: config.PAYMENTS_WEBHOOK_SECRET, minBytes: MIN_CALLBACK_SECRET_BYTES },
    ]),
    ...(config.CHROMIUM_SANDBOX === 'off' && config.WORKER_QUEUES.has('browser')
      ? [
          'CHROMIUM_SANDBOX is off: a vulnerability of the browser, which reads documents of tenants, would affect ' +
            'this worker; run the worker as a user other than root and remove CHROMIUM_SANDBOX',
        ]
      : []),
    ...(isProduction(config.NODE_ENV) ? encryptionWarnings(config.ENCRYPTION_KEY) : []),
    ...(isListening && !isProduction(config.NODE_ENV)
      ? openPortWarnings({ name: 'WORKER_HOST', host: config.WORKER_HOST })
      : []),
  ];
}

function parseRedis(text: string): string {
  const problem = redisUrlProblem(text);
  if (problem) throw new Error(problem);
  return text;
}

/** Parses `io:200,cpu:2` into two queues and their concurrency. */
function parseQueues(text: string): ReadonlyMap<string, number> {
  const queues = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name = '', concurrency] = /^\s*([a-z]+):([1-9]\d{0,3})\s*$/.exec(part) ?? [];
    const isKnown = QUEUES.some((queue) => queue === name);
    if (!isKnown || queues.has(name)) {
      throw new Error(
        `contains "${part.trim()}": write queue:concurrency, with each of ${QUEUES.join(', ')} at most once`,
      );
    }
    queues.set(name, Number(concurrency));
  }
  return queues;
}

/** Parses `host,host:port` into entries that the address guard accepts. */
function parseHosts(text: string): readonly string[] {
  const hosts = parseList(text);
  const problem = hosts.map(allowHostIssue).find((found) => found !== null);
  if (problem) throw new Error(problem);
  return hosts;
}

function parseList(text: string): readonly string[] {
  return text.split(',').flatMap((part) => part.trim() || []);
}
