import { AppError, NAME_PATTERN } from '@jobline/contracts';
import type { Express, Request, Response } from 'express';
import { notFound } from '../http/refusals.js';
import type { BuiltFile, BuiltFiles } from './built.js';
import { chooseEncoding } from './encoding.js';
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
    refuseWriting(req);
    const { id } = req.params;
    if (id !== undefined && !NAME_PATTERN.test(String(id))) throw notFound();
    const page = built?.get('/index.html');
    if (!page) throw new AppError('not_found', 'The pages are not built here: run `npm run build`.');
    sendFile(req, res, page, ASK_AGAIN);
  });
  for (const [path, file] of built ?? []) {
    if (path === '/index.html') continue;
    app.all(path, (req, res) => {
      refuseWriting(req);
      sendFile(req, res, file, path.startsWith(ASSETS) ? FOR_EVER : ASK_AGAIN);
    });
  }
}

function refuseWriting({ method }: Request): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new AppError('method_not_allowed', 'This path takes GET, HEAD.', { headers: { Allow: 'GET, HEAD' } });
}

/** Whole, or not at all if the browser has it already. Node leaves the body of an answer to HEAD out. */
function sendFile(req: Request, res: Response, file: BuiltFile, caching: string): void {
  res.setHeaders(new Map(Object.entries({ ...PAGE_HEADERS, 'Cache-Control': caching, ETag: file.etag })));
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
