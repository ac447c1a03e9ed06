import { type Logger, readConfig } from '@jobline/runtime';
import Joi, { type ObjectSchema } from 'joi';
import { type InstrumentCall, instrumentPort } from './instrument-calls.js';

/** What a provider is given beside its settings. */
export interface ProviderContext {
  log: Logger;
  /** Sees every call; absent: nobody does. */
  instrument?: InstrumentCall;
}

export interface ProviderDefinition<Settings, Port> {
  /** As the environment names it, e.g. `EMAIL_PROVIDER=smtp`. */
  name: string;
  /** Its environment variables. Nobody looks at them unless it is chosen. What was read must read as itself again. */
  settings: ObjectSchema<Settings>;
  /** Connects to nothing: connections come with the first use. */
  create(settings: Settings, context: ProviderContext): Port;
}

/** A way to the world outside, ready to be listed in its kind's index.ts. */
export interface Provider<Port> {
  readonly name: string;
  readonly settings: ObjectSchema;
  create(chosen: object, context: ProviderContext): Port;
}

export function defineProvider<Settings, Port>({
  name,
  settings,
  create,
}: ProviderDefinition<Settings, Port>): Provider<Port> {
  return { name, settings, create: (chosen, context) => create(readConfig(settings, chosen), context) };
}

/** The providers that do one thing, of which the environment chooses one. */
export interface ProviderKind<Port> {
  /** To be joined to an app's own (`concat`): the variable that chooses, and the settings of what it chooses. */
  readonly schema: ObjectSchema;
  /** The chosen one. `config` is what the schema has read, or an environment. Throws a ConfigError. */
  open(config: object, context: ProviderContext): Port;
}

/** `variable` names one of the providers; without it the first of them is taken. */
export function providerKind<Port>(
  variable: string,
  providers: readonly [Provider<Port>, ...Provider<Port>[]],
): ProviderKind<Port> {
  const names = providers.map(({ name }) => name);
  const choice = Joi.object({ [variable]: Joi.valid(...names).default(providers[0].name) });
  return {
    schema: providers.reduce(
      (schema, { name, settings }) =>
        schema.when(Joi.object({ [variable]: chosenAs(name, providers[0].name) }).unknown(), {
          // biome-ignore lint/suspicious/noThenProperty: Joi's own word
          then: settings,
        }),
      choice,
    ),
    open(config, context) {
      const { [variable]: chosen } = readConfig(choice, config);
      const provider = providers.find(({ name }) => name === chosen) ?? providers[0];
      const port = provider.create(config, context);
      return context.instrument ? instrumentPort(port, kindOf(variable), provider.name, context.instrument) : port;
    },
  };
}

/** `TEAM_CHAT_PROVIDER` → `team_chat`. */
function kindOf(variable: string): string {
  return variable.replace(/_PROVIDER$/, '').toLowerCase();
}

function chosenAs(name: string, byDefault: string): Joi.Schema {
  return name === byDefault ? Joi.valid(name) : Joi.valid(name).required();
}
