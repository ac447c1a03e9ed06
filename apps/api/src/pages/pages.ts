import { AppError, NAME_PATTERN } from '@jobline/contracts';
import type { Express, Request, Response } from 'express';
import { notFound, requireReadMethod } from '../http/errors.js';
import { type BuiltFiles, HELP_DIR, readBuilt, sendFile } from './files.js';

/** The paths of the dashboard's pages. All have the same document, and the browser selects the page. */
const PAGES = [
  '/',
  '/job/:id',
  '/email',
  '/sms',
  '/chat',
  '/templates',
  '/domains',
  '/limits',
  '/webhooks',
  '/team',
  '/keys',
  '/settings',
  '/verify',
  '/login',
  '/register',
  '/join',
  '/reset',
];

/**
 * A page may run our scripts, send requests to this host, and show the images and documents that it got. Inline styles are
 * allowed, because the dialogs' scroll lock uses them. Inline scripts, other hosts and frames around the page are not.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  'frame-src blob:',
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
].join('; ');

/** Files below this path are named after their content, so they never change. */
const ASSETS = '/assets/';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

/** The pages whose path is also a list of the API. */
const SHARED_PAGES = ['/schedules'];

/**
 * Serves these pages to browsers that open them, and leaves other requests to the API. A page that a browser opens is
 * requested without credentials.
 */
export function mountSharedPages(app: Express, built: BuiltFiles | null): void {
  app.get(SHARED_PAGES, (req, res, next) => {
    const { authorization, 'x-api-key': apiKey, accept } = req.headers;
    const isOpened = authorization === undefined && apiKey === undefined && accept?.includes('text/html');
    if (!isOpened) return next();
    res.locals.endpoint = 'page';
    sendPage(req, res, built, { Vary: 'Accept, Authorization, X-API-Key' });
  });
}

/** Serves the built dashboard. If it is not built, its paths answer with how to build it. */
export function mountPages(app: Express, built: BuiltFiles | null): void {
  app.route(PAGES).all((req, res) => {
    res.locals.endpoint = 'page';
    requireReadMethod(req);
    const { id } = req.params;
    if (id !== undefined && !NAME_PATTERN.test(String(id))) throw notFound();
    sendPage(req, res, built);
  });
  for (const [path, file] of built ?? []) {
    if (path === '/index.html') continue;
    const headers = headersOf(path.startsWith(ASSETS) ? IMMUTABLE : REVALIDATE);
    app.route(path).all((req, res) => {
      res.locals.endpoint = 'asset';
      requireReadMethod(req);
      sendFile(req, res, file, headers);
    });
  }
}

/** Serves the built documentation. It is read when the first page is opened. */
export function mountHelp(app: Express): void {
  let built: BuiltFiles | null = null;
  app.route(['/help', '/help/', '/help/*path']).all((req, res) => {
    res.locals.endpoint = 'page';
    requireReadMethod(req);
    built ??= readBuilt(HELP_DIR);
    if (!built) throw new AppError('not_found', 'The documentation is not built; run `npm run build`.');
    const path = req.path.slice('/help'.length).replace(/\/$/, '') || '/index';
    const file = built.get(path) ?? built.get(`${path}.html`);
    if (!file) throw notFound();
    sendFile(req, res, file, headersOf(REVALIDATE));
  });
}

function sendPage(req: Request, res: Response, built: BuiltFiles | null, headers: Record<string, string> = {}): void {
  const page = built?.get('/index.html');
  if (!page) throw new AppError('not_found', 'The dashboard is not built; run `npm run build`.');
  sendFile(req, res, page, { ...headersOf(REVALIDATE), ...headers });
}

function headersOf(cacheControl: string): Record<string, string> {
  return { 'Content-Security-Policy': CONTENT_POLICY, 'Cache-Control': cacheControl };
}
