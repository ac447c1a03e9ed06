import { type Logger, readConfig } from '@jobline/runtime';
import Joi, { type ObjectSchema } from 'joi';
import { type InstrumentCall, instrumentPort } from './instrument-calls.js';
import type { SandboxReports } from './sandbox-outcomes.js';

/** What a provider receives in addition to its settings. */
export interface ProviderContext {
  log: Logger;
  /** Wraps every call for metrics and tracing. Absent: calls are not measured. */
  instrument?: InstrumentCall;
  /** Only the sandbox uses it. Absent: its messages have no outcomes. */
  sandboxReports?: SandboxReports;
}

export interface ProviderDefinition<Settings, Port> {
  /** The name in the environment, as in `EMAIL_PROVIDER=smtp`. */
  name: string;
  /**
   * Its environment variables, validated only if the provider is chosen. A validated value must validate to itself
   * again. Absent: it has none.
   */
  settings?: ObjectSchema<Settings>;
  /** Must not connect: connections are opened on first use. */
  create(settings: Settings, context: ProviderContext): Port;
}

/** An adapter for one external service, ready to be listed in providers.ts. */
export interface Provider<Port> {
  readonly name: string;
  readonly settings: ObjectSchema;
  create(chosen: object, context: ProviderContext): Port;
}

export function defineProvider<Settings, Port>({
  name,
  settings = Joi.object({}),
  create,
}: ProviderDefinition<Settings, Port>): Provider<Port> {
  return { name, settings, create: (chosen, context) => create(readConfig(settings, chosen), context) };
}

/** The providers of one kind. The environment chooses one of them. */
export interface ProviderKind<Port> {
  /**
   * The variable that chooses, and the settings of the chosen provider. Add it to an app's own schema with `concat`.
   */
  readonly schema: ObjectSchema;
  /** Creates the chosen provider. `config` is a validated configuration or an environment. Throws a ConfigError. */
  open(config: object, context: ProviderContext): Port;
}

/** `variable` names one of the providers. The first provider is the default. */
export function providerKind<Port>(
  variable: string,
  providers: readonly [Provider<Port>, ...Provider<Port>[]],
): ProviderKind<Port> {
  // `TEAM_CHAT_PROVIDER` → `team_chat`
  const kind = variable.replace(/_PROVIDER$/, '').toLowerCase();
  const names = providers.map(({ name }) => name);
  const choice = Joi.object({ [variable]: Joi.valid(...names).default(providers[0].name) });
  return {
    schema: providers.reduce(
      (schema, { name, settings }) =>
        schema.when(Joi.object({ [variable]: chosenAs(name, providers[0].name) }).unknown(), {
          // biome-ignore lint/suspicious/noThenProperty: required by Joi's API
          then: settings,
        }),
      choice,
    ),
    open(config, context) {
      const { [variable]: chosen } = readConfig(choice, config);
      const provider = providers.find(({ name }) => name === chosen) ?? providers[0];
      const port = provider.create(config, context);
      return context.instrument ? instrumentPort(port, kind, provider.name, context.instrument) : port;
    },
  };
}

function chosenAs(name: string, byDefault: string): Joi.Schema {
  return name === byDefault ? Joi.valid(name) : Joi.valid(name).required();
}

/**
 * A key, token or password that goes into a header. White space around it, such as the line break at the end of a file,
 * is removed.
 */
export const secretSetting = Joi.string()
  .trim()
  .pattern(/^[\x21-\x7e]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must contain only visible ASCII characters' });

/** The address of a provider's API. It may have a path, and it may be private. */
export const baseUrlSetting = Joi.string().uri({ scheme: ['http', 'https'] });

/** The limit of one call to a provider, in milliseconds. */
export const timeoutSetting = Joi.number().integer().min(1).max(600_000).default(20_000);
