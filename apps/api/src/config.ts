import { randomBytes } from 'node:crypto';
import { allowedTypesSetting, DEFAULT_PREFIX, DEFAULT_STORED_BYTES, PREFIX_PATTERN } from '@jobline/engine';
import {
  artifactStores,
  type CallbackSettings,
  callbackSchema,
  emailProviders,
  smsProviders,
} from '@jobline/providers';
import {
  type CommonSettings,
  commonSchema,
  durationSetting,
  inProduction,
  type OperatorCredentials,
  type OperatorSettings,
  operatorOf,
  operatorSchema,
  strongSecret,
} from '@jobline/runtime';
import Joi from 'joi';
import { passwordCostSetting } from './auth/password.js';
import type { BodyBudgetOptions } from './budgets/body-budget.js';
import { parseOrigins, parseProxies, parseRedis, systemSender } from './config-values.js';
import type { LimitSettings } from './rate-limits/rate-limits.js';

/** Who may register an organization: everyone, only the first caller, or no one. */
export type RegistrationMode = 'open' | 'first' | 'closed';

/** Whether a sender id may be used as soon as it is registered, or only once the operator has approved it. */
export type SenderIdMode = 'open' | 'approved';

/** The environment variables of the API. Only the providers read their own settings. */
export interface Config extends CommonSettings, CallbackSettings, OperatorSettings {
  REDIS_URL: string;
  /** The prefix of all keys in Redis. The workers must have the same one. */
  QUEUE_PREFIX: string;
  PORT: number;
  HOST: string;
  /** The base of links to this service, without a slash at the end. */
  PUBLIC_URL: string;
  /** Optional outside production. Without it, a random secret is generated, and sessions end with the process. */
  JWT_SECRET?: string;
  /** Milliseconds. */
  JWT_TTL: number;
  BCRYPT_COST: number;
  REGISTRATION: RegistrationMode;
  SENDER_IDS: SenderIdMode;
  /** The job types that may be submitted. Default: all. */
  ALLOWED_TYPES?: ReadonlySet<string>;
  /** The sender of the service's own emails. Default: the default sender of the organizations' emails. */
  EMAIL_SYSTEM_FROM?: string;
  /** The proxies whose X-Forwarded-For is trusted: none, a number of hops, or the proxies with these addresses. */
  TRUST_PROXY: false | number | readonly string[];
  /** Default: 1,000. Behind a proxy 10,000, which is also the limit of a process. */
  CONNECTIONS_PER_ADDRESS?: number;
  /** Whether the flag of a caller's `traceparent` decides if the spans of its request are stored. */
  TRACE_SAMPLING: 'own' | 'caller';
  /** The origins of other sites whose pages may read responses. */
  CORS_ORIGINS: readonly string[];
  MAX_BODY_BYTES: number;
  /** Of a file that is uploaded. */
  MAX_FILE_BYTES: number;
  /** Per organization. */
  RATE_LIMIT_SUBMIT_PER_S: number;
  /** Bytes of bodies, per organization. */
  RATE_LIMIT_SUBMIT_BYTES_PER_S: number;
  /** Per organization. */
  RATE_LIMIT_SEND_PER_MIN: number;
  /** Retries, cancels, changes, deletes and bulk actions, per organization. */
  RATE_LIMIT_CONTROL_PER_MIN: number;
  /** Per caller. */
  RATE_LIMIT_READ_PER_MIN: number;
  /** Per address. */
  RATE_LIMIT_LOGIN_PER_MIN: number;
  /** Wrong credentials, per address. */
  RATE_LIMIT_CREDENTIALS_PER_MIN: number;
  /** Bytes of jobs, files and messages. */
  MAX_STORED_BYTES_PER_ORG: number;
  /** Maximum number of pending jobs of an organization. Null: there is none. */
  ORG_MAX_WAITING: number | null;
  /** The folder in which the email sandbox stores emails as files. */
  EMAIL_SANDBOX_DIR?: string;
}

export const MIN_SECRET_BYTES = 32;

export const MIN_CALLBACK_SECRET_BYTES = 16;

const DEFAULT_JWT_TTL_MS = 12 * 3_600_000;

const own = commonSchema.append<Config>({
  REDIS_URL: Joi.string().custom(parseRedis).required(),
  QUEUE_PREFIX: Joi.string().pattern(PREFIX_PATTERN).default(DEFAULT_PREFIX),
  PORT: Joi.number().port().default(3000),
  HOST: Joi.string().hostname().default('0.0.0.0'),
  PUBLIC_URL: inProduction(
    Joi.string()
      .uri({ scheme: ['http', 'https'] })
      .pattern(/^[^?#]+$/)
      .replace(/(?<!\/)\/+$/, '')
      .messages({
        'string.pattern.base': '{{#label}} must have no query and no fragment, because links begin with it',
      }),
    {
      production: (url) => url.required(),
      otherwise: (url) => url.default(({ PORT }: Config) => `http://localhost:${PORT}`),
    },
  ),
  JWT_SECRET: inProduction(
    Joi.string()
      .min(MIN_SECRET_BYTES, 'utf8')
      .messages({ 'string.min': `{{#label}} must have at least ${MIN_SECRET_BYTES} bytes` }),
    {
      production: () => strongSecret({ minBytes: MIN_SECRET_BYTES }).required(),
      otherwise: (secret) => secret,
    },
  ),
  JWT_TTL: durationSetting().default(DEFAULT_JWT_TTL_MS),
  BCRYPT_COST: passwordCostSetting,
  REGISTRATION: inProduction(Joi.string().valid('open', 'first', 'closed'), {
    production: (mode) => mode.default('first'),
    otherwise: (mode) => mode.default('open'),
  }),
  SENDER_IDS: Joi.string().valid('open', 'approved').default('open'),
  ALLOWED_TYPES: allowedTypesSetting(),
  EMAIL_SYSTEM_FROM: systemSender(),
  TRUST_PROXY: Joi.string().custom(parseProxies).default(false),
  CONNECTIONS_PER_ADDRESS: Joi.number().integer().min(1).max(10_000),
  TRACE_SAMPLING: Joi.string().valid('own', 'caller').default('own'),
  CORS_ORIGINS: Joi.string()
    .custom(parseOrigins)
    .default(() => []),
  MAX_BODY_BYTES: Joi.number()
    .integer()
    .min(1_024)
    .max(64 * 1_048_576)
    .default(1_048_576),
  MAX_FILE_BYTES: Joi.number()
    .integer()
    .min(1_024)
    .max(1024 ** 3)
    .default(25 * 1_048_576),
  RATE_LIMIT_SUBMIT_PER_S: budget().default(5_000),
  RATE_LIMIT_SUBMIT_BYTES_PER_S: budget().default(32 * 1_048_576),
  RATE_LIMIT_SEND_PER_MIN: budget().default(600),
  RATE_LIMIT_CONTROL_PER_MIN: budget().default(3_000),
  RATE_LIMIT_READ_PER_MIN: budget().default(12_000),
  RATE_LIMIT_LOGIN_PER_MIN: budget().default(20),
  RATE_LIMIT_CREDENTIALS_PER_MIN: budget().default(300),
  MAX_STORED_BYTES_PER_ORG: Joi.number().integer().min(1).default(DEFAULT_STORED_BYTES),
  ORG_MAX_WAITING: Joi.number().integer().min(1).max(100_000_000).default(null),
});

export const configSchema = [
  operatorSchema,
  artifactStores.schema,
  emailProviders.schema,
  smsProviders.schema,
  callbackSchema,
]
  .reduce<Joi.ObjectSchema<Config>>((schema, other) => schema.concat(other), own)
  .keys({
    CHAT_WEBHOOK_SECRET: callbackSecret(),
    SMS_WEBHOOK_SECRET: callbackSecret(),
    SMS_WEBHOOK_SECRET_PREVIOUS: callbackSecret(),
    PAYMENTS_WEBHOOK_SECRET: callbackSecret(),
    PAYMENTS_WEBHOOK_SECRET_PREVIOUS: callbackSecret(),
  });

function callbackSecret(): Joi.Schema {
  return inProduction(Joi.string(), {
    production: () => strongSecret({ minBytes: MIN_CALLBACK_SECRET_BYTES }),
    otherwise: (secret) => secret,
  });
}

/** There is no value for "unlimited"; use a very large number. */
function budget(): Joi.NumberSchema {
  return Joi.number().integer().min(1).max(1_000_000_000);
}

/** The part of the configuration that the HTTP API uses. */
export interface AppSettings {
  /** Signs session tokens; at least 32 bytes. */
  jwtSecret: string;
  jwtTtlMs: number;
  /** Cost factor of bcrypt. Use 12 or more in production. */
  passwordCost: number;
  maxBodyBytes: number;
  maxFileBytes: number;
  /** Default: derived from the heap size of this process. */
  bodyBudget?: BodyBudgetOptions;
  registration: RegistrationMode;
  senderIds: SenderIdMode;
  /** The job types that may be submitted. Default: all. */
  allowedTypes?: ReadonlySet<string> | undefined;
  /** Days after which finished jobs are deleted. */
  retentionDays: number;
  handlerStacks: Config['HANDLER_STACKS'];
  trustProxy: Config['TRUST_PROXY'];
  traceSampling: Config['TRACE_SAMPLING'];
  /** The origins of other sites whose pages may read responses. */
  corsOrigins: readonly string[];
  /** The secrets that prove that a callback comes from its provider. */
  callbacks: CallbackSettings;
  /** The base of links to this service, without a slash at the end. */
  publicUrl: string;
  /** The credentials of the operator. Without them, the operators' paths do not exist. */
  operator?: OperatorCredentials | undefined;
}

export function appSettings(config: Config): AppSettings {
  return {
    jwtSecret: config.JWT_SECRET ?? randomBytes(32).toString('base64'),
    jwtTtlMs: config.JWT_TTL,
    passwordCost: config.BCRYPT_COST,
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxFileBytes: config.MAX_FILE_BYTES,
    registration: config.REGISTRATION,
    senderIds: config.SENDER_IDS,
    allowedTypes: config.ALLOWED_TYPES,
    retentionDays: config.RETENTION_DAYS,
    handlerStacks: config.HANDLER_STACKS,
    trustProxy: config.TRUST_PROXY,
    traceSampling: config.TRACE_SAMPLING,
    corsOrigins: config.CORS_ORIGINS,
    callbacks: config,
    publicUrl: config.PUBLIC_URL,
    operator: operatorOf(config),
  };
}

export function limitSettings(config: Config): LimitSettings {
  return {
    submitPerS: config.RATE_LIMIT_SUBMIT_PER_S,
    submitBytesPerS: config.RATE_LIMIT_SUBMIT_BYTES_PER_S,
    sendPerMin: config.RATE_LIMIT_SEND_PER_MIN,
    controlPerMin: config.RATE_LIMIT_CONTROL_PER_MIN,
    readPerMin: config.RATE_LIMIT_READ_PER_MIN,
    loginPerMin: config.RATE_LIMIT_LOGIN_PER_MIN,
    credentialsPerMin: config.RATE_LIMIT_CREDENTIALS_PER_MIN,
    maxStoredBytes: config.MAX_STORED_BYTES_PER_ORG,
  };
}
