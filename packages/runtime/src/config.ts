import Joi, { type ObjectSchema, type Schema } from 'joi';

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

/** Variables that this version no longer has. A value that would change something stops the start. */
export const removedSettings = Joi.object({
  QUEUE_SHARDS: Joi.valid('1').strip().messages({
    'any.only':
      '{{#label}} no longer exists: each queue is one queue in Redis. Set it to 1 or remove it. Jobs whose entries are in other shards are enqueued again',
  }),
});

/**
 * The values of `NODE_ENV` that relax rules. Without a value, and with every other value, the rules of production
 * apply.
 */
const RELAXED_ENVIRONMENTS = ['development', 'test'];

export const nodeEnvSetting = Joi.string().default('production');

export function isProduction(nodeEnv: string): boolean {
  return !RELAXED_ENVIRONMENTS.includes(nodeEnv);
}

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
