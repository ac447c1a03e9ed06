import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { tailOf } from '../processes/log-file.js';
import { PlainError } from '../processes/plain-error.js';
import type { PostgresLocation } from './postgres-location.js';
import { readOrCreateSecret } from './secret.js';
import { serverEnv } from './server.js';

/** Creates the database files if they are missing, completely or not at all. Returns the password of the superuser. */
export async function ensureCluster(dir: string, location: PostgresLocation, logFile: string): Promise<string> {
  const { clusterDir, version } = location;
  const passwordFile = join(dir, 'postgres-password');
  const versionFile = join(clusterDir, 'PG_VERSION');
  if (!existsSync(versionFile)) {
    const password = readOrCreateSecret(passwordFile);
    await createCluster(location, { password, logFile, env: serverEnv(dir) });
    return password;
  }
  const created = readFileSync(versionFile, 'utf8').trim();
  if (created !== version.split('.')[0])
    throw new PlainError(
      `${clusterDir} was created by Postgres ${created} and this is ${version}: use another DATA_DIR, or remove that folder.`,
    );
  if (!existsSync(passwordFile))
    throw new PlainError(`${passwordFile} is missing, so ${clusterDir} cannot be opened: restore it, or remove both.`);
  return readOrCreateSecret(passwordFile);
}

interface NewCluster {
  password: string;
  logFile: string;
  env: NodeJS.ProcessEnv;
}

async function createCluster({ clusterDir, binDir, user }: PostgresLocation, cluster: NewCluster): Promise<void> {
  const { password, logFile, env } = cluster;
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
