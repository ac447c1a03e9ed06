import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { findFreePort } from '../processes/ports.js';
import { createRestartable, type ProcessParts, type Restartable } from '../processes/restartable.js';
import { PlainError } from '../processes/terminal.js';

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

/** `remove` deletes the data. */
type ServerParts = ProcessParts & Pick<Server, 'url' | 'port' | 'remove'>;

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

/** A random secret that only this user can read. Returns the same secret at every call. */
export function readOrCreateSecret(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32) throw new Error(`${file} contains no secret; remove it`);
  return secret;
}
