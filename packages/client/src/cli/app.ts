import { type Command, CommanderError } from 'commander';
import { Jobline } from '../jobline.js';
import { JoblineError, type JoblineErrorCode } from '../jobline-error.js';
import { type Connection, checkExpiry, findConnection } from './connection.js';
import { EXIT, UsageError, wasRefused } from './exit-codes.js';
import { createOutput, type Output, printable } from './output.js';

/** What the commands share. */
export interface App {
  io: Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;
  out: Output;
  /** The options of every command. */
  options(): { json?: true; profile?: string };
  /** The client of the configured API. Throws UsageError if none is configured. */
  client(): Jobline;
  /** Null before `client` is called. */
  connection: Connection | null;
  exitCode: number;
  /** Whether the command goes on if the reader of its output has gone. */
  mustFinish: boolean;
  /** What to print if Ctrl-C ends the command. */
  atInterrupt: (() => string) | null;
}

/** A person does not want to wait long for an API that is down. */
const MAX_RETRIES = 2;

export function createApp(io: App['io'], options: App['options']): App {
  const app: App = {
    io,
    out: createOutput(io, () => options().json === true),
    options,
    client() {
      app.connection = findConnection(io.env, options().profile);
      checkExpiry(app.connection);
      const { url, key, token } = app.connection;
      return new Jobline({ url, ...(key === undefined ? { token } : { key }), maxRetries: MAX_RETRIES });
    },
    connection: null,
    exitCode: EXIT.success,
    mustFinish: false,
    atInterrupt: null,
  };
  return app;
}

/** Adds a command whose help ends with an example. */
export function define(parent: Command, name: string, description: string, example: string): Command {
  return parent
    .command(name)
    .description(description)
    .helpCommand(false)
    .addHelpText('after', `\nExample:\n  $ ${example}`);
}

/** What was done with one of several ids. */
export type Done = { id: string } & Readonly<Record<string, unknown>>;

/** Does the same with each id. After one that the API rejects, it goes on with the next. */
export async function forEachId(
  app: App,
  ids: readonly string[],
  act: (id: string) => Promise<Done>,
  toText: (done: Done) => string,
): Promise<void> {
  app.mustFinish = true;
  for (const id of ids) {
    try {
      const done = await act(id);
      app.out.showOne(done, () => printable(toText(done)));
    } catch (error) {
      // Without a valid credential, the others would be rejected too.
      if (!(error instanceof JoblineError && wasRefused(error)) || error.status === 401) throw error;
      const { code, message } = error;
      if (app.out.isJson()) app.out.showOne({ id, error: { code, message } }, () => '');
      app.out.error(`${id}: ${message}`);
      app.exitCode = EXIT.refused;
    }
  }
}

/** Prints what went wrong, what to do next, and what was done already. */
export function reportError(app: App, error: unknown, done = ''): void {
  if (error instanceof CommanderError) return; // commander has printed it
  app.out.error([messageOf(app, error), done].filter(Boolean).join('\n'));
}

function messageOf({ connection }: App, error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof JoblineError)) return error instanceof Error && error.stack ? error.stack : String(error);
  if (error.code === 'unauthenticated')
    return connection ? rejectedCredential(connection) : 'The API does not know this key.';
  const advice = ADVICE[error.code];
  return advice ? `${error.message}\n${advice}` : error.message;
}

const ADVICE: Partial<Record<JoblineErrorCode, string>> = {
  forbidden: 'Ask an owner of your organization for the right, or use `jobline login` as someone else.',
  not_found: 'Check the id or the name. It must be one of your organization.',
  timeout: 'Try again, or wait longer.',
};

function rejectedCredential({ profile, key }: Connection): string {
  if (profile === null)
    return 'The API rejected the key in JOBLINE_API_KEY.\nCheck it. For what keys may not do, unset it and use `jobline login`.';
  return key === undefined
    ? `The session of the profile ${profile} has ended.\nTo start another one, use \`jobline login\`.`
    : `The API rejected the key of the profile ${profile}.\nCheck it. For what keys may not do, use \`jobline login\`.`;
}
