import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@jobline/contracts';
import type { Express, Request, Response } from 'express';
import { notFound } from '../http/refusals.js';

/** The same place relative to this file's source and to what is compiled of it. */
const OWN = fileURLToPath(new URL('../../assets/docs', import.meta.url));
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Name → folder: no other file is ever read for a request. */
const ASSETS: ReadonlyMap<string, string> = new Map([
  ['init.js', OWN],
  ['docs.css', OWN],
  ['swagger-ui-bundle.js', SWAGGER_UI],
  ['swagger-ui.css', SWAGGER_UI],
  ['favicon-32x32.png', SWAGGER_UI],
]);

/** Only our own scripts, and requests to nobody but us. Its icons are `data:`, its styles in part inline. */
const HEADERS = new Map([
  [
    'Content-Security-Policy',
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  ],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-cache'],
]);

/** The reference of the API, made in the browser of what /openapi.json says. */
export function mountReference(app: Express): void {
  app.all('/docs', (req, res) => sendFile(req, res, 'index.html', OWN));
  app.all('/docs/:name', (req, res) => {
    const { name } = req.params;
    const folder = ASSETS.get(name);
    if (folder === undefined) throw notFound();
    sendFile(req, res, name, folder);
  });
}

function sendFile(req: Request, res: Response, name: string, folder: string): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    throw new AppError('method_not_allowed', 'This path takes GET, HEAD.', { headers: { Allow: 'GET, HEAD' } });
  }
  res.setHeaders(HEADERS);
  res.sendFile(name, { root: folder, cacheControl: false });
}
