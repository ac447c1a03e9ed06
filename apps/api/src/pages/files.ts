import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from 'express';

/** A file in memory, in every encoding in which it can be sent. */
export interface ServedFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** Content-Encoding → the encoded content, if the build has compressed the file. */
  encoded: ReadonlyMap<string, Buffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
/** Encodings in the order of preference. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Null: files with this extension are not served. */
export function readServed(path: string): ServedFile | null {
  const type = TYPES[extname(path)];
  if (!type) return null;
  const plain = readFileSync(path);
  const available = ENCODINGS.filter(([, ending]) => existsSync(path + ending));
  return {
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    encoded: new Map(available.map(([encoding, ending]) => [encoding, readFileSync(path + ending)])),
  };
}

/** Sends the whole file, or a 304 if the browser has it already. Node omits the body of a response to HEAD. */
export function sendFile(
  req: Request,
  res: Response,
  file: ServedFile,
  headers: Readonly<Record<string, string>>,
): void {
  res.setHeaders(new Map(Object.entries({ ...headers, ETag: file.etag })));
  if (file.encoded.size > 0) res.vary('Accept-Encoding');
  if (isKnown(req.headers['if-none-match'], file.etag)) return void res.status(304).end();
  const encoding = [...file.encoded.keys()].find((name) => req.acceptsEncodings(name));
  if (encoding !== undefined) res.setHeader('Content-Encoding', encoding);
  const content = file.encoded.get(encoding ?? 'identity') ?? file.plain;
  res.setHeader('Content-Type', file.type);
  res.setHeader('Content-Length', content.length);
  res.end(content);
}

/** Whether the browser has this version. The prefix `W/` is ignored, because proxies that compress add it. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** URL path → file of a built site. Requests never read other files. */
export type BuiltFiles = ReadonlyMap<string, ServedFile>;

/** The output folders of the build. The paths are the same relative to this source file and to its compiled file. */
export const DASHBOARD_DIR = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));
export const HELP_DIR = fileURLToPath(new URL('../../../help/dist', import.meta.url));

/** Reads all files of a built site; null if it is not built. */
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
