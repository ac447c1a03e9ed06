import { AppError, NAME_PATTERN } from '@jobline/contracts';
import type { Express } from 'express';
import { sendFile } from '../http/files.js';
import { notFound, refuseWriting } from '../http/http-errors.js';
import type { BuiltFiles } from './built.js';
import { PAGE_HEADERS } from './headers.js';

/** The only paths that answer HTML. All of them with the same document: which page it is, the browser finds out. */
const PAGES = [
  '/',
  '/job/:id',
  '/email',
  '/sms',
  '/templates',
  '/domains',
  '/team',
  '/keys',
  '/login',
  '/register',
  '/join',
  '/reset',
];

/** Named after their content, so they never change. */
const ASSETS = '/assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** Serves the built dashboard. Without one, its paths say how to get it. */
export function mountPages(app: Express, built: BuiltFiles | null): void {
  app.all(PAGES, (req, res) => {
    res.locals.endpoint = 'page';
    refuseWriting(req);
    const { id } = req.params;
    if (id !== undefined && !NAME_PATTERN.test(String(id))) throw notFound();
    const page = built?.get('/index.html');
    if (!page) throw new AppError('not_found', 'The pages are not built here: run `npm run build`.');
    sendFile(req, res, page, { ...PAGE_HEADERS, 'Cache-Control': ASK_AGAIN });
  });
  for (const [path, file] of built ?? []) {
    if (path === '/index.html') continue;
    const headers = { ...PAGE_HEADERS, 'Cache-Control': path.startsWith(ASSETS) ? FOR_EVER : ASK_AGAIN };
    app.all(path, (req, res) => {
      res.locals.endpoint = 'asset';
      refuseWriting(req);
      sendFile(req, res, file, headers);
    });
  }
}
