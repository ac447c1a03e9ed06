import { PlainError } from '../processes/plain-error.js';
import { findFreePort } from '../processes/ports.js';
import { createRestartable, type ProcessParts, type Restartable } from '../processes/restartable.js';

/**
 * A database server on this machine. After `kill` or `stop`, `start` brings it back at the same address with the same
 * data.
 */
export interface Server extends Restartable {
  readonly url: string;
  readonly port: number;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

export interface ServerParts extends ProcessParts {
  url: string;
  port: number;
  /** Deletes the data. */
  remove(): Promise<void>;
}

const MAX_TRIES = 5;

export function createServer({ url, port, remove, ...parts }: ServerParts): Server {
  const restartable = createRestartable(parts);
  return { ...restartable, url, port, remove: () => restartable.stop().then(remove) };
}

/** Starts a server on a free port. Tries another port if some program takes the port in the meantime. */
export async function startOnFreePort(create: (port: number) => Server): Promise<Server> {
  for (let tries = 1; ; tries++) {
    const server = create(await findFreePort());
    try {
      await server.start();
      return server;
    } catch (error) {
      const isPortTaken = error instanceof PlainError && /address already in use/i.test(error.message);
      if (!isPortTaken || tries === MAX_TRIES) throw error;
    }
  }
}

const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

/** The environment of a server: without secrets and without PG* variables, which would change what Postgres does. */
export function serverEnv(dir: string): NodeJS.ProcessEnv {
  const passedOn = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]));
  return { ...passedOn, DATA_DIR: process.env.DATA_DIR ?? dir }; // identifies the processes of one start
}
