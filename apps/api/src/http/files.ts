import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Request, Response } from 'express';
import { chooseEncoding } from './encoding.js';

/** A file in memory, in every form in which it can be sent. */
export interface ServedFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** Content-Encoding → the content in it, where the file has been compressed beforehand. */
  encoded: ReadonlyMap<string, Buffer>;
}

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

/** Null: it is of no kind that is served. */
export function readServed(path: string): ServedFile | null {
  const type = TYPES[extname(path)];
  if (!type) return null;
  const plain = readFileSync(path);
  const there = ENCODINGS.filter(([, ending]) => existsSync(path + ending));
  return {
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    encoded: new Map(there.map(([encoding, ending]) => [encoding, readFileSync(path + ending)])),
  };
}

/** Whole, or not at all if the browser has it already. Node leaves the body of an answer to HEAD out. */
export function sendFile(
  req: Request,
  res: Response,
  file: ServedFile,
  headers: Readonly<Record<string, string>>,
): void {
  res.setHeaders(new Map(Object.entries({ ...headers, ETag: file.etag })));
  if (file.encoded.size > 0) res.setHeader('Vary', 'Accept-Encoding');
  if (hasIt(req.headers['if-none-match'], file.etag)) {
    res.statusCode = 304;
    return void res.end();
  }
  const encoding = chooseEncoding(req.headers['accept-encoding'], file.encoded.keys());
  const content = file.encoded.get(encoding) ?? file.plain;
  if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
  res.setHeader('Content-Type', file.type);
  res.setHeader('Content-Length', content.length);
  res.end(content);
}

/** Proxies that compress make an ETag a weak one. */
function hasIt(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
