import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
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
  if (file.encoded.size > 0) res.setHeader('Vary', 'Accept-Encoding');
  if (isKnown(req.headers['if-none-match'], file.etag)) {
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

/** Whether the browser has this version. The prefix `W/` is ignored, because proxies that compress add it. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** The first available encoding that the header `Accept-Encoding` allows; otherwise `identity`. */
function chooseEncoding(accepted: string | undefined, available: Iterable<string>): string {
  const weights = new Map((accepted ?? '').toLowerCase().split(',').map(weightOf));
  for (const encoding of available) if ((weights.get(encoding) ?? weights.get('*') ?? 0) > 0) return encoding;
  return 'identity';
}

/** `br;q=0.5` → br, 0.5. */
function weightOf(item: string): [string, number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [name, q === undefined ? 1 : Number(q) || 0];
}
