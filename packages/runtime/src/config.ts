import { isIP } from 'node:net';
import Joi, { type CustomHelpers, type ErrorReport, type ObjectSchema, type Schema } from 'joi';
import { encryptionKeysSetting } from './secret-cipher.js';
import { secretWeakness } from './strong-secret.js';

/** The environment is not valid for a start. The message lists every issue, one per line. */
export class ConfigError extends Error {
  constructor(readonly issues: readonly string[]) {
    super(
      `the configuration has ${issues.length === 1 ? 'an issue' : `${issues.length} issues`}:\n${issues.map((issue) => `  ${issue}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/**
 * Reads the keys that the schema names from an environment, converts them and fills in defaults. An empty variable
 * counts as absent. Throws a ConfigError with every issue; values never appear in it, because some are secrets.
 */
export function readConfig<T>(schema: ObjectSchema<T>, env: object): Readonly<T> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const { value, error } = schema.validate(present, {
    abortEarly: false,
    convert: true,
    stripUnknown: true,
    errors: { wrap: { label: false } },
    // Joi's own message quotes the value.
    messages: { 'string.pattern.base': '{{#label}} has an invalid format' },
  });
  if (error) throw new ConfigError(error.details.map((detail) => detail.message));
  return Object.freeze(value);
}

/**
 * The values of `NODE_ENV` that relax rules. Without a value, and with every other value, the rules of production
 * apply.
 */
const RELAXED_ENVIRONMENTS = ['development', 'test'];

export const nodeEnvSetting = Joi.string().default('production');

export function isProduction(nodeEnv: string): boolean {
  return !RELAXED_ENVIRONMENTS.includes(nodeEnv);
}

/** The settings that the API and the workers read. All processes must have the same values, but for the last two. */
export interface CommonSettings {
  /** `development` and `test` relax some rules. */
  NODE_ENV: string;
  DATABASE_URL: string;
  /** The keys for the secrets of organizations: the first one encrypts, all of them decrypt. */
  ENCRYPTION_KEY: readonly string[];
  /** A worker without a heartbeat for this time is dead. */
  WORKER_LEASE_MS: number;
  /** Days after which finished jobs are deleted. */
  RETENTION_DAYS: number;
  /** The name servers that resolve hosts of organizations. Empty: those of the machine. */
  DNS_SERVERS: readonly string[];
  /** Where spans are sent. Absent: tracing is off. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** To whom the stacks of errors of custom handlers are shown: owners and admins, or also members and API keys. */
  HANDLER_STACKS: 'admins' | 'members' | 'off';
  LOG_LEVEL: string;
}

export const commonSchema = Joi.object<CommonSettings & { QUEUE_SHARDS: never }>({
  NODE_ENV: nodeEnvSetting,
  DATABASE_URL: Joi.string()
    .uri({ scheme: ['postgres', 'postgresql'] })
    .required(),
  ENCRYPTION_KEY: encryptionKeysSetting,
  WORKER_LEASE_MS: Joi.number().integer().min(500).max(600_000).default(15_000),
  RETENTION_DAYS: Joi.number().integer().min(1).max(36_500).default(30),
  DNS_SERVERS: Joi.string<readonly string[]>()
    .custom(parseServers)
    .default(() => []),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string().uri({ scheme: ['http', 'https'] }),
  HANDLER_STACKS: Joi.valid('admins', 'members', 'off').default('admins'),
  LOG_LEVEL: Joi.string().valid('debug', 'info', 'warn', 'error').default('info'),
  // This version no longer has it. A value that would change something stops the start.
  QUEUE_SHARDS: Joi.valid('1').strip().messages({
    'any.only':
      '{{#label}} no longer exists: each queue is one queue in Redis. Set it to 1 or remove it. Jobs whose entries are in other shards are enqueued again',
  }),
});

/** Matches an environment with relaxed rules, for rules of a whole schema (`when`). */
export const relaxedEnvironment = Joi.object({ NODE_ENV: Joi.valid(...RELAXED_ENVIRONMENTS).required() }).unknown();

/** A setting whose rules depend on `NODE_ENV`, which must be a key of the same schema, defined by `nodeEnvSetting`. */
export function inProduction<S extends Schema>(
  schema: S,
  rules: { production(schema: S): Schema; otherwise(schema: S): Schema },
): Schema {
  return Joi.when('NODE_ENV', {
    is: Joi.valid(...RELAXED_ENVIRONMENTS).required(),
    // biome-ignore lint/suspicious/noThenProperty: Joi's word; nothing awaits it.
    then: rules.otherwise(schema),
    otherwise: rules.production(schema),
  });
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A setting such as `12h`: a number and a unit. Its value and its default are in milliseconds. */
export function durationSetting(): Joi.StringSchema {
  return Joi.string().custom(parseDuration);
}

function parseDuration(text: string, { message }: CustomHelpers): number | ErrorReport {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = Object.entries(UNITS_MS).find(([name]) => name === unit)?.[1];
  if (unitMs !== undefined) return Number(count) * unitMs;
  return message({ custom: '{{#label}} must be a number and a unit (s, m, h or d), such as 12h' });
}

/** Addresses, each with an optional port: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:53`. */
function parseServers(text: string, { message }: CustomHelpers): readonly string[] | ErrorReport {
  const servers = text.split(',').map((server) => server.trim());
  if (servers.every(isServer)) return servers;
  return message({
    custom: '{{#label}} must be addresses of name servers, separated by commas, each with an optional port',
  });
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const isAddress = six === undefined ? isIP(four ?? '') === 4 : isIP(six) === 6;
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

/** A secret of the configuration, and its minimum length in production. */
interface SecretSetting {
  name: string;
  secret: string | undefined;
  minBytes: number;
}

/** One warning for each secret that production would reject. */
export function weakSecretWarnings(settings: readonly SecretSetting[]): string[] {
  return settings.flatMap(({ name, secret, minBytes }) => {
    const weakness = secret === undefined ? null : secretWeakness(secret, minBytes);
    return weakness === null
      ? []
      : [`${name} ${weakness}: it is accepted only because NODE_ENV is development or test; production rejects it`];
  });
}

const ALL_ADDRESSES = ['0.0.0.0', '::', '[::]'];

/** A warning if other machines can reach the port, which is rarely intended in development. */
export function openPortWarnings(setting: { name: string; host: string }): string[] {
  if (!ALL_ADDRESSES.includes(setting.host)) return [];
  return [
    `${setting.name} is ${setting.host}, so other machines can reach a process whose NODE_ENV is development or test: set it to 127.0.0.1`,
  ];
}

/** A warning if the secrets that sign webhooks are not encrypted. */
export function encryptionWarnings(keys: readonly string[]): string[] {
  if (keys.length > 0) return [];
  return [
    'ENCRYPTION_KEY is not set: the secrets that sign webhooks are stored unencrypted in the database and its backups; ' +
      'generate a key with openssl rand -base64 33 and use the same one for the API and the workers',
  ];
}
