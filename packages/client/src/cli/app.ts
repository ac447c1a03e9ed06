import { Jobline } from '../index.js';
import { type Connection, checkExpiry, findConnection } from './connection.js';
import { EXIT } from './exit-codes.js';
import type { Io } from './io.js';
import { createOutput, type Output } from './output/output.js';

/** The options of every command. */
export interface GlobalOptions {
  json?: true;
  profile?: string;
}

/** What the commands share. */
export interface App {
  io: Io;
  out: Output;
  options(): GlobalOptions;
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

export function createApp(io: Io, options: () => GlobalOptions): App {
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
