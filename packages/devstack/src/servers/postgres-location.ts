import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PlainError } from '../processes/plain-error.js';
import { postgresPackage } from './postgres-package.js';

/** Where Postgres runs, and as whom. */
export interface Place {
  binDir: string;
  /** Of the programs, e.g. `18.4`. */
  version: string;
  clusterDir: string;
  user?: SystemUser;
  /** What the person at the terminal should know about it. */
  note?: string;
  /** Folders made for it beside the cluster. */
  madeDirs: string[];
}

interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Postgres refuses to run as root: root runs it as the system's `postgres` user, or `nobody`. Where that user cannot
 * reach the programs (a closed home, say) it runs from a copy of them, and where it cannot reach `dir` the data, too, is
 * in an open folder. A cluster that exists stays where and whose it is.
 */
export async function choosePlace(dir: string): Promise<Place> {
  const { dir: programs, version } = await postgresPackage();
  const inside = join(dir, 'postgres');
  mkdirSync(dir, { recursive: true });
  const simple = { binDir: join(programs, 'bin'), version, clusterDir: inside, madeDirs: [] };
  if (process.getuid?.() !== 0) return simple;

  const user = ownerOf(inside) ?? findUser('postgres') ?? findUser('nobody');
  if (!user)
    throw new PlainError('Postgres may not run as root and this system has no user "nobody": give a DATABASE_URL.');
  const openFolder = `/var/tmp/jobline-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
  const isDirOpen = canEnter(dir, user);
  const areProgramsOpen = canRun(simple.binDir, user);
  const isDataInside = existsSync(join(inside, 'PG_VERSION'));
  if (isDataInside && !isDirOpen) {
    throw new PlainError(
      `The user "${user.name}", who runs Postgres, cannot enter ${inside} any more: open the folders above it.`,
    );
  }
  const isDataOutside = !isDataInside && (!isDirOpen || existsSync(join(openFolder, 'postgres', 'PG_VERSION')));
  if (areProgramsOpen && !isDataOutside) return { ...simple, user };

  const open = isDataOutside ? makeOpenFolder(openFolder) : dir;
  const copy = join(open, `postgres-${version}`);
  if (!areProgramsOpen) await copyPrograms(programs, copy, user);
  return {
    binDir: areProgramsOpen ? simple.binDir : join(copy, 'bin'),
    version,
    clusterDir: join(open, 'postgres'),
    user,
    note: noteFor({ user, open, isDirOpen, isDataOutside, areProgramsOpen }),
    madeDirs: isDataOutside ? [open] : [copy],
  };
}

interface Surroundings {
  user: SystemUser;
  open: string;
  isDirOpen: boolean;
  isDataOutside: boolean;
  areProgramsOpen: boolean;
}

function noteFor({ user, open, isDirOpen, isDataOutside, areProgramsOpen }: Surroundings): string {
  if (isDirOpen && areProgramsOpen) return `Postgres keeps its data in ${open}, where an earlier start had to put it.`;
  const does = areProgramsOpen
    ? 'keeps its data'
    : isDataOutside
      ? 'runs from a copy, with its data,'
      : 'runs from a copy';
  return `Postgres may not run as root and the user "${user.name}" cannot enter this folder, so it ${does} in ${open}.`;
}

function ownerOf(clusterDir: string): SystemUser | undefined {
  if (!existsSync(clusterDir)) return undefined;
  const { uid, gid } = statSync(clusterDir);
  return uid === 0 ? undefined : { name: idOf(['-un', String(uid)]) ?? String(uid), uid, gid };
}

function findUser(name: string): SystemUser | undefined {
  const [uid, gid] = [idOf(['-u', name]), idOf(['-g', name])];
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : undefined;
}

function idOf(args: string[]): string | undefined {
  const { status, stdout } = spawnSync('id', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function canEnter(dir: string, user: SystemUser): boolean {
  return runsAs(user, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir]);
}

function canRun(binDir: string, user: SystemUser): boolean {
  return runsAs(user, join(binDir, 'postgres'), ['--version']);
}

/** Tried, not reckoned: modes, access lists, mounts and security modules all have a say. */
function runsAs({ name, uid, gid }: SystemUser, command: string, args: string[]): boolean {
  const { status, error } = spawnSync(command, args, { uid, gid, cwd: '/', stdio: 'ignore' });
  if (error && 'code' in error && error.code === 'EPERM') {
    throw new PlainError(`Postgres may not run as root, and this root may not become "${name}": give a DATABASE_URL.`);
  }
  return status === 0;
}

/** In a folder that everybody may write to, somebody else may have made it first: then it is not ours to use. */
function makeOpenFolder(path: string): string {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o755 });
  const stat = lstatSync(path);
  if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
    throw new PlainError(`${path} was made by somebody else: remove it.`);
  }
  return path;
}

async function copyPrograms(programs: string, copy: string, user: SystemUser): Promise<void> {
  if (!existsSync(copy)) {
    await rm(`${copy}.new`, { recursive: true, force: true });
    await cp(programs, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    await rename(`${copy}.new`, copy);
  }
  if (canRun(join(copy, 'bin'), user)) return;
  throw new PlainError(
    `The user "${user.name}" cannot run Postgres from ${copy}: give another DATA_DIR, or a DATABASE_URL.`,
  );
}
