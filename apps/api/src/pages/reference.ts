import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express } from 'express';
import { notFound, requireReadMethod } from '../http/errors.js';
import { readServed, type ServedFile, sendFile } from './files.js';

/** The path is the same relative to this source file and to its compiled file. */
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

/** Allows our own scripts, and requests to this host only. The page has `data:` icons and some inline styles. */
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
  'Cache-Control': 'no-cache',
};

/** Serves the API reference. The browser generates it from /openapi.json. */
export function mountReference(app: Express): void {
  const page = readFile('index.html', OWN);
  const assets = new Map(ASSETS.map(([name, folder]): [string, ServedFile] => [name, readFile(name, folder)]));
  app.route('/docs').all((req, res) => {
    requireReadMethod(req);
    sendFile(req, res, page, HEADERS);
  });
  app.route('/docs/:name').all((req, res) => {
    const file = assets.get(req.params.name);
    if (!file) throw notFound();
    requireReadMethod(req);
    sendFile(req, res, file, HEADERS);
  });
}

function readFile(name: string, folder: string): ServedFile {
  const file = readServed(join(folder, name));
  if (!file) throw new Error(`${name} has a file type that is not served`);
  return file;
}
