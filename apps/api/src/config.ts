import { isIP } from 'node:net';
import { NAME_PATTERN } from '@jobline/contracts';
import { DEFAULT_PREFIX, DEFAULT_STORED_BYTES, PREFIX_PATTERN, redisUrlProblem } from '@jobline/engine';
import { parseUrl } from '@jobline/handlers';
import {
  addressSetting,
  artifactStores,
  type CallbackSettings,
  callbackSchema,
  emailProviders,
  smsProviders,
  splitAddress,
} from '@jobline/providers';
import {
  durationSetting,
  encryptionKeysSetting,
  inProduction,
  nameServersSetting,
  nodeEnvSetting,
  type OperatorSettings,
  operatorSchema,
  removedSettings,
  strongSecret,
} from '@jobline/runtime';
import Joi, { type CustomHelpers, type ErrorReport } from 'joi';
import { passwordCostSetting } from './auth/password-cost.js';
import type { AppSettings, RegistrationMode, SenderIdMode } from './settings.js';

/** The environment variables of the API. Only the providers read their own settings. */
export interface Config extends CallbackSettings, OperatorSettings {
  /** `development` and `test` relax some rules. */
  NODE_ENV: string;
  DATABASE_URL: string;
  REDIS_URL: string;
  /** The prefix of all keys in Redis. The workers must have the same one. */
  QUEUE_PREFIX: string;
  PORT: number;
  HOST: string;
  /** The base of links to this service, without a slash at the end. */
  PUBLIC_URL: string;
  /** Optional outside production. Without it, a random secret is generated, and sessions end with the process. */
  JWT_SECRET?: string;
  /** The keys for the secrets of organizations: the first one encrypts, all of them decrypt. */
  ENCRYPTION_KEY: readonly string[];
  /** Milliseconds. */
  JWT_TTL: number;
  BCRYPT_COST: number;
  REGISTRATION: RegistrationMode;
  SENDER_IDS: SenderIdMode;
  /** The job types that may be submitted. Default: all. */
  ALLOWED_TYPES?: ReadonlySet<string>;
  /** The sender of the service's own emails. Default: the default sender of the organizations' emails. */
  EMAIL_SYSTEM_FROM?: string;
  TRUST_PROXY: AppSettings['trustProxy'];
  /** Default: 1,000. Behind a proxy 10,000, which is also the limit of a process. */
  CONNECTIONS_PER_ADDRESS?: number;
  /** The origins of other sites whose pages may read responses. */
  CORS_ORIGINS: readonly string[];
  MAX_BODY_BYTES: number;
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
  /** Days after which finished jobs are deleted. The workers must have the same value. */
  RETENTION_DAYS: number;
  /** Maximum number of pending jobs of an organization. Null: there is none. */
  ORG_MAX_WAITING: number | null;
  /** The name servers for the verification of domains. Empty: those of the machine. */
  DNS_SERVERS: readonly string[];
  /** A worker without a heartbeat for this time is dead. The workers must have the same value. */
  WORKER_LEASE_MS: number;
  /** Where spans are sent. Default: tracing is off. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** The folder in which the email sandbox stores emails as files. */
  EMAIL_SANDBOX_DIR?: string;
  LOG_LEVEL: string;
}

export const MIN_SECRET_BYTES = 32;
export const MIN_CALLBACK_SECRET_BYTES = 16;
const DEFAULT_JWT_TTL_MS = 12 * 3_600_000;

const own = Joi.object<Config>({
  NODE_ENV: nodeEnvSetting,
  DATABASE_URL: Joi.string()
    .uri({ scheme: ['postgres', 'postgresql'] })
    .required(),
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
  ENCRYPTION_KEY: encryptionKeysSetting,
  JWT_TTL: durationSetting().default(DEFAULT_JWT_TTL_MS),
  BCRYPT_COST: passwordCostSetting,
  REGISTRATION: inProduction(Joi.string().valid('open', 'first', 'closed'), {
    production: (mode) => mode.default('first'),
    otherwise: (mode) => mode.default('open'),
  }),
  SENDER_IDS: Joi.string().valid('open', 'approved').default('open'),
  ALLOWED_TYPES: Joi.string().custom(parseTypes),
  EMAIL_SYSTEM_FROM: systemSender(),
  TRUST_PROXY: Joi.string().custom(parseProxies).default(false),
  CONNECTIONS_PER_ADDRESS: Joi.number().integer().min(1).max(10_000),
  CORS_ORIGINS: Joi.string()
    .custom(parseOrigins)
    .default(() => []),
  MAX_BODY_BYTES: Joi.number()
    .integer()
    .min(1_024)
    .max(64 * 1_048_576)
    .default(1_048_576),
  RATE_LIMIT_SUBMIT_PER_S: budget().default(5_000),
  RATE_LIMIT_SUBMIT_BYTES_PER_S: budget().default(32 * 1_048_576),
  RATE_LIMIT_SEND_PER_MIN: budget().default(600),
  RATE_LIMIT_CONTROL_PER_MIN: budget().default(3_000),
  RATE_LIMIT_READ_PER_MIN: budget().default(12_000),
  RATE_LIMIT_LOGIN_PER_MIN: budget().default(20),
  RATE_LIMIT_CREDENTIALS_PER_MIN: budget().default(300),
  MAX_STORED_BYTES_PER_ORG: Joi.number().integer().min(1).default(DEFAULT_STORED_BYTES),
  RETENTION_DAYS: Joi.number().integer().min(1).max(36_500).default(30),
  ORG_MAX_WAITING: Joi.number().integer().min(1).max(100_000_000).default(null),
  DNS_SERVERS: nameServersSetting(),
  WORKER_LEASE_MS: Joi.number().integer().min(500).max(600_000).default(15_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string().uri({ scheme: ['http', 'https'] }),
  LOG_LEVEL: Joi.string().valid('debug', 'info', 'warn', 'error').default('info'),
});

export const configSchema = [
  operatorSchema,
  removedSettings,
  artifactStores.schema,
  emailProviders.schema,
  smsProviders.schema,
  callbackSchema,
]
  .reduce<Joi.ObjectSchema<Config>>((schema, other) => schema.concat(other), own)
  .keys({
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

/**
 * Required in production with a real email provider, and different from the default sender of organizations: otherwise any of
 * them could imitate the service's own emails, with its own link, from the same address.
 */
function systemSender(): Joi.Schema {
  return inProduction(addressSetting, {
    production: (sender) =>
      Joi.when('EMAIL_PROVIDER', {
        // A schema instead of a value, because an unset variable, whose default this is, would not match a value.
        is: Joi.valid('sandbox'),
        // biome-ignore lint/suspicious/noThenProperty: the name of Joi's option
        then: sender,
        otherwise: addressSetting.custom(differsFromDefault).required().messages({
          'any.required':
            '{{#label}} is required: the sender of password resets and invites, different from EMAIL_DEFAULT_FROM',
        }),
      }),
    otherwise: (sender) => sender,
  });
}

function differsFromDefault(sender: string, { message, state }: CustomHelpers): string | ErrorReport {
  const others: unknown = state.ancestors[0]?.EMAIL_DEFAULT_FROM;
  const isSame = typeof others === 'string' && addressOf(others) === addressOf(sender);
  if (!isSame) return sender;
  return message({
    custom: '{{#label}} must differ from EMAIL_DEFAULT_FROM, which every organization may send from',
  });
}

function addressOf(sender: string): string {
  return splitAddress(sender).address.toLowerCase();
}

function parseTypes(text: string, { message }: CustomHelpers): ReadonlySet<string> | ErrorReport {
  const types = text.split(',').map((type) => type.trim());
  if (types.every((type) => NAME_PATTERN.test(type))) return new Set(types);
  return message({ custom: '{{#label}} must be comma-separated job types, such as webhook,send_email' });
}

/** There is no value for "unlimited"; use a very large number. */
function budget(): Joi.NumberSchema {
  return Joi.number().integer().min(1).max(1_000_000_000);
}

function parseRedis(text: string, { message }: CustomHelpers): string | ErrorReport {
  const problem = redisUrlProblem(text);
  return problem === null ? text : message({ custom: `{{#label}} ${problem}` });
}

/** `off`, a number of proxies (`on`: one), or the addresses and networks of the trusted proxies. */
function parseProxies(text: string, { message }: CustomHelpers): AppSettings['trustProxy'] | ErrorReport {
  if (['off', 'false', '0'].includes(text)) return false;
  if (['on', 'true'].includes(text)) return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (proxies.every(isNetwork)) return proxies;
  return message({ custom: '{{#label}} must be off, a number of proxies, or their comma-separated addresses' });
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  if (version === 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Origins in the notation of browsers: `https://app.example.com`, `http://localhost:5173`. */
function parseOrigins(text: string, { message }: CustomHelpers): readonly string[] | ErrorReport {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.every(isOrigin)) return origins;
  return message({
    custom: '{{#label}} must be comma-separated origins such as https://app.example.com, without a path and without *',
  });
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && parseUrl(text)?.origin === text;
}
