import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readServed, type ServedFile } from '../http/files.js';

/** URL path → file of the built dashboard: nothing else is ever read from the disk for a request. */
export type BuiltFiles = ReadonlyMap<string, ServedFile>;

/** Where the build puts it: the same place relative to this file's source and to what is compiled of it. */
export const DASHBOARD_DIR = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

/** Reads the built dashboard, all of it, once; null where it is not built. */
export function readBuilt(dir: string): BuiltFiles | null {
  if (!existsSync(join(dir, 'index.html'))) return null;
  const names = readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)));
  return new Map(
    names.flatMap((name): [string, ServedFile][] => {
      const file = readServed(join(dir, name));
      return file ? [[`/${name.split(sep).join('/')}`, file]] : [];
    }),
  );
}
