import Joi, { type ObjectSchema, type Schema } from 'joi';

/** The environment is not fit to start with. Its message lists every fault, one a line. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `the configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/**
 * Reads the keys that the schema names from an environment, converts them and fills in defaults. An empty variable
 * counts as absent. Throws a ConfigError with every fault; values never appear in it, because some are secrets.
 */
export function readConfig<T>(schema: ObjectSchema<T>, env: object): Readonly<T> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const { value, error } = schema.validate(present, {
    abortEarly: false,
    convert: true,
    stripUnknown: true,
    errors: { wrap: { label: false } },
    // Joi's own words for it quote the value.
    messages: { 'string.pattern.base': '{{#label}} is not of the form that it must have' },
  });
  if (error) throw new ConfigError(error.details.map((detail) => detail.message));
  return Object.freeze(value);
}

/** The values of `NODE_ENV` under which rules are lax. Without one, and under any other, the rules of production hold. */
const LAX_ENVIRONMENTS = ['development', 'test'];

export const nodeEnvSetting = Joi.string().default('production');

export function isProduction(nodeEnv: string): boolean {
  return !LAX_ENVIRONMENTS.includes(nodeEnv);
}

/** Matches an environment in which rules are lax, for rules of a whole schema (`when`). */
export const laxEnvironment = Joi.object({ NODE_ENV: Joi.valid(...LAX_ENVIRONMENTS).required() }).unknown();

/** A setting whose rules depend on `NODE_ENV`, which has to be among the keys of the same schema, as `nodeEnvSetting`. */
export function inProduction<S extends Schema>(
  schema: S,
  rules: { production(schema: S): Schema; otherwise(schema: S): Schema },
): Schema {
  return Joi.when('NODE_ENV', {
    is: Joi.valid(...LAX_ENVIRONMENTS).required(),
    // biome-ignore lint/suspicious/noThenProperty: Joi's word; nothing awaits it.
    then: rules.otherwise(schema),
    otherwise: rules.production(schema),
  });
}
