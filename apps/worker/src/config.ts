import {
  allowedTypesSetting,
  DEFAULT_PREFIX,
  DEFAULT_STORED_BYTES,
  PREFIX_PATTERN,
  redisUrlProblem,
} from '@jobline/engine';
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
  type CommonSettings,
  commonSchema,
  durationSetting,
  encryptionWarnings,
  isProduction,
  MIN_OPERATOR_PASSWORD_BYTES,
  type OperatorSettings,
  openPortWarnings,
  operatorSchema,
  relaxedEnvironment,
  strongSecret,
  weakSecretWarnings,
} from '@jobline/runtime';
import Joi from 'joi';
import { DEFAULT_QUEUES, parseQueues, parseTypes } from './queues.js';

/** The environment variables of this process, without the settings of the providers, which only the providers read. */
export interface Config extends CommonSettings, OperatorSettings {
  REDIS_URL: string;
  /** The prefix of the queue keys in Redis. It must be the same as that of the API. */
  QUEUE_PREFIX: string;
  /** The port of the health checks and metrics. If it is absent, they are not served. */
  WORKER_PORT?: number;
  WORKER_HOST: string;
  /** Maps each queue to the number of its jobs that run at the same time. */
  WORKER_QUEUES: ReadonlyMap<string, number>;
  /** The job types that the worker takes: names, and beginnings of names with a star. Empty: all for which it has handlers. */
  WORKER_TYPES: readonly string[];
  /** The version of its handlers, for people. */
  WORKER_VERSION?: string;
  /** About how many jobs of a queue may wait in Redis. Null means three times the number of slots of its live workers. */
  QUEUE_WINDOW: number | null;
  /** Maximum number of running jobs of an organization, over all workers. Null: there is none. */
  ORG_MAX_RUNNING: number | null;
  /** How much an organization may store. It must be the same as that of the API. */
  MAX_STORED_BYTES_PER_ORG: number;
  /** The job types that handlers may submit; absent: all. It must be the same as that of the API, and so must the next. */
  ALLOWED_TYPES?: ReadonlySet<string>;
  /** Maximum number of pending jobs of an organization. Null: there is none. */
  ORG_MAX_WAITING: number | null;
  /** In milliseconds. How long a stopping worker lets its attempts run. */
  WORKER_DRAIN: number;
  /** In milliseconds. Jobs fail if no worker has had their handler for this time. */
  NO_HANDLER_AFTER: number;
  RETRY_BASE_MS: number;
  RETRY_MAX_MS: number;
  /** How much the jobs of one organization may send per minute, for each kind of message. */
  RATE_LIMIT_JOB_SENDS_PER_MIN: number;
  /** Private hosts that addresses of tenants may reach. */
  OUTBOUND_ALLOW_HOSTS: readonly string[];
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
const DEFAULT_DRAIN_MS = 30_000;
const MAX_DRAIN_MS = 24 * 3_600_000;

const own = commonSchema.append<Config>({
  REDIS_URL: Joi.string().custom(parseRedis).required(),
  QUEUE_PREFIX: Joi.string().pattern(PREFIX_PATTERN).default(DEFAULT_PREFIX),
  WORKER_PORT: Joi.number().port(),
  WORKER_HOST: Joi.string().hostname().default('0.0.0.0'),
  WORKER_QUEUES: Joi.string()
    .custom(parseQueues)
    .default(() => DEFAULT_QUEUES),
  WORKER_TYPES: Joi.string()
    .custom(parseTypes)
    .default(() => []),
  WORKER_VERSION: Joi.string().trim().max(64),
  QUEUE_WINDOW: Joi.number().integer().min(1).max(1_000_000).default(null),
  ORG_MAX_RUNNING: Joi.number().integer().min(1).max(1_000_000).default(null),
  MAX_STORED_BYTES_PER_ORG: Joi.number().integer().min(1).default(DEFAULT_STORED_BYTES),
  ALLOWED_TYPES: allowedTypesSetting(),
  ORG_MAX_WAITING: Joi.number().integer().min(1).max(100_000_000).default(null),
  WORKER_DRAIN: durationSetting().custom(requireDay).default(DEFAULT_DRAIN_MS),
  NO_HANDLER_AFTER: durationSetting().default(DEFAULT_NO_HANDLER_AFTER_MS),
  RETRY_BASE_MS: Joi.number().integer().min(1).default(1_000),
  RETRY_MAX_MS: Joi.number().integer().min(1).default(3_600_000),
  RATE_LIMIT_JOB_SENDS_PER_MIN: Joi.number().integer().min(1).max(1_000_000_000).default(6_000),
  OUTBOUND_ALLOW_HOSTS: Joi.string()
    .custom(parseHosts)
    .default(() => []),
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

export const configSchema = [operatorSchema, ...kinds.map(({ schema }) => schema)]
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

function requireDay(ms: number): number {
  if (ms > MAX_DRAIN_MS) throw new Error('must be at most 24h');
  return ms;
}

function parseRedis(text: string): string {
  const problem = redisUrlProblem(text);
  if (problem) throw new Error(problem);
  return text;
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
