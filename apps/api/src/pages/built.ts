import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readServed, type ServedFile } from '../http/files.js';

/** URL path → file of the built dashboard. Requests never read other files. */
export type BuiltFiles = ReadonlyMap<string, ServedFile>;

/** The output folder of the build. The path is the same relative to this source file and to its compiled file. */
export const DASHBOARD_DIR = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

/** Reads all files of the built dashboard; null if it is not built. */
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
