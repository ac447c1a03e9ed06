import { isIP } from 'node:net';
import { NAME_PATTERN } from '@jobline/contracts';
import { DEFAULT_PREFIX, PREFIX_PATTERN, redisUrlFault } from '@jobline/engine';
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
  strongSecret,
} from '@jobline/runtime';
import Joi, { type CustomHelpers, type ErrorReport } from 'joi';
import type { AppSettings, RegistrationMode, SenderIdMode } from './deps.js';

/** What this process reads from its environment, beside the providers and their settings, which only they look at. */
export interface Config extends CallbackSettings, OperatorSettings {
  /** `development` and `test` make rules lax. */
  NODE_ENV: string;
  DATABASE_URL: string;
  REDIS_URL: string;
  /** What the keys of the queues in Redis begin with, as the workers have it. */
  QUEUE_PREFIX: string;
  PORT: number;
  HOST: string;
  /** The base of links to this service, without a slash at the end. */
  PUBLIC_URL: string;
  /** Absent only outside production: a random one is made, and sessions end with the process. */
  JWT_SECRET?: string;
  /** What secrets of organizations are encrypted under: the first encrypts, all of them decrypt. */
  ENCRYPTION_KEY: readonly string[];
  /** Milliseconds. */
  JWT_TTL: number;
  BCRYPT_COST: number;
  REGISTRATION: RegistrationMode;
  SENDER_IDS: SenderIdMode;
  /** The job types that may be submitted; absent: all. */
  ALLOWED_TYPES?: ReadonlySet<string>;
  /** Who sends the service's own mail; absent: the default sender of the organizations' mail. */
  EMAIL_SYSTEM_FROM?: string;
  TRUST_PROXY: AppSettings['trustProxy'];
  /** Absent: 1,000, and any number behind a proxy. */
  CONNECTIONS_PER_ADDRESS?: number;
  /** The origins of other sites' pages that may read answers. */
  CORS_ORIGINS: readonly string[];
  MAX_BODY_BYTES: number;
  /** Per organization. */
  RATE_LIMIT_SUBMIT_PER_S: number;
  /** Of bodies, per organization. */
  RATE_LIMIT_SUBMIT_BYTES_PER_S: number;
  /** Per organization. */
  RATE_LIMIT_SEND_PER_MIN: number;
  /** Retries and cancels, per organization. */
  RATE_LIMIT_CONTROL_PER_MIN: number;
  /** Per caller. */
  RATE_LIMIT_READ_PER_MIN: number;
  /** Per address. */
  RATE_LIMIT_LOGIN_PER_MIN: number;
  /** Wrong credentials, per address. */
  RATE_LIMIT_CREDENTIALS_PER_MIN: number;
  /** Of jobs, files and messages. */
  MAX_STORED_BYTES_PER_ORG: number;
  /** The name servers that the proofs of domains are looked up at; none: those of the machine. */
  DNS_SERVERS: readonly string[];
  /** A worker not heard of for so long is dead: as the workers have it. */
  WORKER_LEASE_MS: number;
  /** Where spans are sent; absent: nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** Where the sandbox of email keeps mails as files. */
  EMAIL_SANDBOX_DIR?: string;
  LOG_LEVEL: string;
}

export const MIN_SECRET_BYTES = 32;
export const MIN_CALLBACK_SECRET_BYTES = 16;
export const PRODUCTION_COST = 12;
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
      .messages({ 'string.pattern.base': '{{#label}} must have no query and no fragment: links are made of it' }),
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
  BCRYPT_COST: inProduction(Joi.number().integer().max(15).default(PRODUCTION_COST), {
    production: (cost) => cost.min(PRODUCTION_COST),
    otherwise: (cost) => cost.min(4),
  }),
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
  MAX_STORED_BYTES_PER_ORG: Joi.number()
    .integer()
    .min(1)
    .default(50 * 1024 ** 3),
  DNS_SERVERS: nameServersSetting(),
  WORKER_LEASE_MS: Joi.number().integer().min(500).max(600_000).default(15_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string().uri({ scheme: ['http', 'https'] }),
  LOG_LEVEL: Joi.string().valid('debug', 'info', 'warn', 'error').default('info'),
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
 * Required in production once mail is really sent, and not an address that organizations send from without a `from`:
 * otherwise any of them could send a copy of the service's own mails, with a link of its own, from their very address.
 */
function systemSender(): Joi.Schema {
  return inProduction(addressSetting, {
    production: (sender) =>
      Joi.when('EMAIL_PROVIDER', {
        // A schema and no plain value, which the absent variable would not match: it is this by default.
        is: Joi.valid('sandbox'),
        // biome-ignore lint/suspicious/noThenProperty: Joi's own word
        then: sender,
        otherwise: addressSetting.custom(differsFromDefault).required().messages({
          'any.required':
            '{{#label}} is required: the address that password resets and invites are sent from, other than EMAIL_DEFAULT_FROM',
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
    custom: '{{#label}} must be another address than EMAIL_DEFAULT_FROM, which every organization may send from',
  });
}

function addressOf(sender: string): string {
  return splitAddress(sender).address.toLowerCase();
}

function parseTypes(text: string, { message }: CustomHelpers): ReadonlySet<string> | ErrorReport {
  const types = text.split(',').map((type) => type.trim());
  if (types.every((type) => NAME_PATTERN.test(type))) return new Set(types);
  return message({ custom: '{{#label}} must be job types, comma-separated, as webhook,send_email' });
}

/** There is no word for none: a million a second is none. */
function budget(): Joi.NumberSchema {
  return Joi.number().integer().min(1).max(1_000_000_000);
}

function parseRedis(text: string, { message }: CustomHelpers): string | ErrorReport {
  const fault = redisUrlFault(text);
  return fault === null ? text : message({ custom: `{{#label}} ${fault}` });
}

/** `off`, a number of proxies (`on`: one), or the addresses and networks of those that are believed. */
function parseProxies(text: string, { message }: CustomHelpers): AppSettings['trustProxy'] | ErrorReport {
  if (['off', 'false', '0'].includes(text)) return false;
  if (['on', 'true'].includes(text)) return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (proxies.every(isNetwork)) return proxies;
  return message({ custom: '{{#label}} must be off, a number of proxies, or their addresses, comma-separated' });
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  if (version === 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** As browsers write them: `https://app.example.com`, `http://localhost:5173`. */
function parseOrigins(text: string, { message }: CustomHelpers): readonly string[] | ErrorReport {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.every(isOrigin)) return origins;
  return message({ custom: '{{#label}} must be origins, comma-separated, as https://app.example.com: no path, no *' });
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && parseUrl(text)?.origin === text;
}
