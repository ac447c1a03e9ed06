import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DASHBOARD_DIR } from '@jobline/api/pages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type TestApi, type World } from '../harness/index.js';

const BUILT = process.env.DASHBOARD_DIR ?? DASHBOARD_DIR;
const ASSETS = join(BUILT, 'assets');
const scripts = () => readdirSync(ASSETS).filter((name) => name.endsWith('.js'));

let world: World;
let api: TestApi;

beforeAll(async () => {
  if (!existsSync(join(BUILT, 'index.html'))) throw new Error('the dashboard is not built: npm run build');
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

const PAGES = [
  ...['/', '/login', '/register', '/join', '/reset', '/job/0192-x', '/email', '/sms', '/chat', '/templates', '/team'],
  ...['/domains', '/limits', '/keys', '/settings', '/join?token=abc', '/?status=failed'],
];

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  'frame-src blob:',
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
];

interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The unmodified response: nothing is decompressed, no path is normalized. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const req = request({ hostname, port, path, method, headers, agent: false }, (res) => {
      const pieces: Buffer[] = [];
      res.on('data', (piece: Buffer) => pieces.push(piece));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(pieces) }));
    });
    req.on('error', reject);
    req.end();
  });
}

const page = async () => (await get('/')).body.toString();
/** The scripts and styles that the document references. */
const named = (html: string) => [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);

describe('the pages', () => {
  it.each(PAGES)('%s answers with the document and a policy that allows only our own scripts', async (path) => {
    const { status, headers, body } = await get(path);

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body.toString()).toMatch(/^<!doctype html>/);
    const policy = String(headers['content-security-policy']).split(/; ?/);
    for (const rule of POLICY) expect(policy).toContain(rule);
    expect(policy.join()).not.toMatch(/script-src[^,]*(unsafe|\*|https?:)/);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['x-request-id']).toBeDefined();
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it.each([
    ...['/index.html', '/login/', '/Login', '/job', '/job/', '/job/a/b', '/job/a%20b', '/job/%2e%2e%2f', '/dashboard'],
    ...['/assets', '/assets/', '/assets/nothing.js', '/assets/../index.html', '/assets/%2e%2e/index.html', '/.stamp'],
    ...['/..%2f..%2fpackage.json', '/../package.json', '/src/main.tsx', '/join/x'],
  ])('%s is a 404 like every unknown path', async (path) => {
    const { status, headers, body } = await get(path);

    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body.toString()).error.code).toBe('not_found');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('reject %s', async (method) => {
    for (const path of ['/', '/login', '/theme.js']) {
      const { status, headers } = await get(path, {}, method);
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('answer HEAD like GET, without the document', async () => {
    const [head, whole] = [await get('/login', {}, 'HEAD'), await get('/login')];

    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers['content-length']).toBe(String(whole.body.length));
  });

  it('do not replace paths of the API', async () => {
    expect((await get('/jobs')).status).toBe(401);
    expect((await get('/email/messages')).status).toBe(401);
    expect((await get('/healthz')).headers['content-type']).toContain('application/json');
  });

  it('share a path with a list of the API: a browser that opens it gets the page, every other request the list', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const opened = await get('/schedules?id=1', { accept });
    expect([opened.status, opened.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(opened.headers['content-security-policy']).toContain("script-src 'self'");
    expect(opened.headers.vary).toBe('Accept, Authorization, X-API-Key');
    expect((await get('/schedules', { accept }, 'HEAD')).status).toBe(200);

    for (const headers of [
      { accept: '*/*' },
      {},
      { accept, authorization: 'Bearer none' },
      { accept, 'x-api-key': 'none' },
    ]) {
      const asked = await get('/schedules', headers);
      expect([asked.status, asked.headers['content-type']]).toEqual([401, 'application/json; charset=utf-8']);
    }
    expect((await get('/schedules', { accept }, 'POST')).status).toBe(401);
    expect((await get('/schedules/1', { accept })).status).toBe(401);
  });

  it('have no inline script and no script of another host', async () => {
    const html = await page();

    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(html).not.toMatch(/\son\w+=|style=|https?:\/\//);
    expect(html.indexOf('/theme.js')).toBeLessThan(html.indexOf('type="module"'));
  });

  it('explain how to build the dashboard if it is not built, and the API works', async () => {
    const bare = await world.api({ pages: null });

    const answer = await bare.call('GET', '/login');
    expect([answer.status, answer.body.error.message]).toEqual([404, expect.stringContaining('npm run build')]);
    expect((await bare.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('what the pages load', () => {
  it('is cached permanently if its name changes with its content, and revalidated otherwise', async () => {
    for (const path of named(await page())) {
      const { status, headers } = await get(path);
      expect(status, path).toBe(200);
      expect(headers['cache-control']).toBe(
        path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('is not sent again to a browser that has it', async () => {
    for (const path of ['/', '/theme.js', ...named(await page())]) {
      const { etag } = (await get(path)).headers;
      const again = await get(path, { 'if-none-match': `"other", W/${String(etag)}` });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['identity', undefined],
    ['br;q=0, gzip;q=0', undefined],
  ])('is compressed as the browser accepts it: %s', async (accepted, encoding) => {
    const script = named(await page()).find((path) => path.endsWith('.js') && path.startsWith('/assets/')) ?? '';
    const { headers, body } = await get(script, { 'accept-encoding': accepted });

    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(headers['content-length']).toBe(String(body.length));
    const plain = await fetch(api.url + script, { headers: { 'accept-encoding': accepted } });
    const isSame = (await plain.text()) === (await get(script)).body.toString();
    expect(isSame).toBe(true);
  });

  // A page's own code is recognized by words that only this page shows; `/` also loads the frame of the dashboard.
  it.each([
    ['/login', ['Forgot password?'], 198_000],
    // With what other pages need, so that each page loads few files.
    ['/', ['Skip to the content', 'Run a sample job'], 276_000],
  ])(
    'is at most 15 files and below the size limit for %s when compressed, and does not include the chart',
    async (_page, words, most) => {
      const seen = new Map<string, number>();
      const load = async (path: string): Promise<void> => {
        if (seen.has(path)) return;
        const { body } = await get(path, { 'accept-encoding': 'gzip' });
        seen.set(path, body.length);
        if (!path.endsWith('.js')) return;
        const code = (await get(path)).body.toString();
        for (const [, name = ''] of code.matchAll(/(?:from|import)\s*["'`](\.\/[^"'`]+)["'`]/g)) {
          await load(new URL(name, `http://x${path}`).pathname);
        }
      };
      for (const path of named(await page()).filter((one) => /\.(js|css)$/.test(one))) await load(path);
      for (const one of words) {
        const own = scripts().filter((name) => readFileSync(join(ASSETS, name), 'utf8').includes(one));
        expect(own, one).toHaveLength(1);
        await load(`/assets/${own[0]}`);
      }

      const total = [...seen.values()].reduce((sum, size) => sum + size, 0);
      expect([...seen.keys()].filter((path) => path.includes('throughput-plot'))).toEqual([]);
      expect(seen.size).toBeLessThanOrEqual(15);
      expect(total).toBeGreaterThan(100_000);
      expect(total).toBeLessThan(most);
    },
  );

  it('is split into a script for each page', () => {
    expect(scripts().length).toBeGreaterThan(10);
  });
});
