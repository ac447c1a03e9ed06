import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express } from 'express';
import { readServed, type ServedFile, sendFile } from '../http/files.js';
import { notFound, refuseWriting } from '../http/http-errors.js';

/** The same place relative to this file's source and to what is compiled of it. */
const OWN = fileURLToPath(new URL('../../assets/docs', import.meta.url));
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Name → folder. */
const ASSETS = [
  ['init.js', OWN],
  ['docs.css', OWN],
  ['swagger-ui-bundle.js', SWAGGER_UI],
  ['swagger-ui.css', SWAGGER_UI],
  ['favicon-32x32.png', SWAGGER_UI],
] as const;

/** Only our own scripts, and requests to nobody but us. Its icons are `data:`, its styles in part inline. */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
};

/** The reference of the API, made in the browser of what /openapi.json says. */
export function mountReference(app: Express): void {
  const page = readFile('index.html', OWN);
  const assets = new Map(ASSETS.map(([name, folder]): [string, ServedFile] => [name, readFile(name, folder)]));
  app.all('/docs', (req, res) => {
    refuseWriting(req);
    sendFile(req, res, page, HEADERS);
  });
  app.all('/docs/:name', (req, res) => {
    const file = assets.get(req.params.name);
    if (!file) throw notFound();
    refuseWriting(req);
    sendFile(req, res, file, HEADERS);
  });
}

function readFile(name: string, folder: string): ServedFile {
  const file = readServed(join(folder, name));
  if (!file) throw new Error(`${name} is of a kind that is not served`);
  return file;
}
