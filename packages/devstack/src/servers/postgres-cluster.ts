import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeExit, endProcess, spawnChild } from '../processes/child.js';
import { logSize, tailOf } from '../processes/log-file.js';
import { PlainError } from '../processes/plain-error.js';
import { commandLineOf, findProcess, type ProcessId } from '../processes/processes.js';
import type { Place } from './postgres-location.js';
import { readOrCreateSecret } from './secret.js';
import { serverEnv } from './server-env.js';

/** Makes the database files unless they are there, wholly or not at all, and returns the superuser's password. */
export async function ensureCluster(
  dir: string,
  place: Place,
  logFile: string,
  onSpawn?: (process: ProcessId) => void,
): Promise<string> {
  const { clusterDir } = place;
  const passwordFile = join(dir, 'postgres-password');
  const versionFile = join(clusterDir, 'PG_VERSION');
  if (!existsSync(versionFile)) {
    const password = readOrCreateSecret(passwordFile);
    await makeCluster({ dir, place, password, logFile, onSpawn });
    return password;
  }
  const version = readFileSync(versionFile, 'utf8').trim();
  if (version !== place.version.split('.')[0]) {
    throw new PlainError(
      `${clusterDir} was made by Postgres ${version} and this is ${place.version}: give another DATA_DIR, or remove that folder.`,
    );
  }
  if (!existsSync(passwordFile)) {
    throw new PlainError(`${passwordFile} is missing, so ${clusterDir} cannot be opened: put it back, or remove both.`);
  }
  return readOrCreateSecret(passwordFile);
}

interface NewCluster {
  dir: string;
  place: Place;
  password: string;
  logFile: string;
  onSpawn: ((process: ProcessId) => void) | undefined;
}

async function makeCluster({ dir, place, password, logFile, onSpawn }: NewCluster): Promise<void> {
  const unfinished = `${place.clusterDir}.new`;
  const passwordFile = `${place.clusterDir}.initdb-password`;
  for (const path of [unfinished, passwordFile]) await rm(path, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (place.user) for (const path of [unfinished, passwordFile]) chownSync(path, place.user.uid, place.user.gid);
  const args = [
    `--pgdata=${unfinished}`,
    '--username=jobline',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ];
  try {
    const sizeBefore = logSize(logFile);
    const output = { file: logFile };
    const env = serverEnv(dir);
    const initdb = await spawnChild(join(place.binDir, 'initdb'), args, {
      env,
      output,
      user: place.user,
      cwd: '/',
      onSpawn,
    });
    const exit = await initdb.exited;
    if (exit.code !== 0) {
      throw new PlainError(
        `Postgres could not make its files (${describeExit(exit)}):\n${tailOf(logFile, sizeBefore).trimEnd()}`,
      );
    }
    renameSync(unfinished, place.clusterDir);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/**
 * After a crash, Postgres's lock file names a process that is gone. Postgres sees that by itself, unless another process
 * has got the number since: then it would refuse to start. A server that still runs on these files is stopped first.
 */
export async function removeStaleLock(clusterDir: string): Promise<void> {
  const lockFile = join(clusterDir, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const holder = findProcess(Number.parseInt(readFileSync(lockFile, 'utf8'), 10));
  const isServer = holder && commandLineOf(holder.pid).includes(`postgres -D ${clusterDir} `);
  if (isServer) await endProcess(holder, 'SIGINT', 20_000);
  rmSync(lockFile, { force: true });
}
