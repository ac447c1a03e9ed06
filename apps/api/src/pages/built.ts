import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the built dashboard, in every form in which it can be sent. */
export interface BuiltFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** Content-Encoding → the content in it. Made by the build. */
  encoded: ReadonlyMap<string, Buffer>;
}

/** URL path → file: nothing else is ever read from the disk for a request. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

/** Where the build puts it: the same place relative to this file's source and to what is compiled of it. */
export const DASHBOARD_DIR = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
/** In the order of preference. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Reads the built dashboard, all of it, once; null where it is not built. */
export function readBuilt(dir: string): BuiltFiles | null {
  if (!existsSync(join(dir, 'index.html'))) return null;
  const names = readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)));
  return new Map(
    names.flatMap((name): [string, BuiltFile][] => {
      const type = TYPES[extname(name)];
      return type ? [[`/${name.split(sep).join('/')}`, readFile(join(dir, name), type)]] : [];
    }),
  );
}

function readFile(file: string, type: string): BuiltFile {
  const plain = readFileSync(file);
  const there = ENCODINGS.filter(([, ending]) => existsSync(file + ending));
  return {
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    encoded: new Map(there.map(([encoding, ending]) => [encoding, readFileSync(file + ending)])),
  };
}
