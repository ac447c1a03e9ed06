import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { HELP_DIR, readBuilt } from '@jobline/api/pages';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type TestApi, type World } from '../harness/index.js';

let world: World;
let api: TestApi;
/** Path → the text of each built page. */
const texts = new Map<string, string>();
/** Path → the ids of its elements. */
const ids = new Map<string, Set<string>>();

beforeAll(async () => {
  if (!existsSync(join(HELP_DIR, 'index.html'))) throw new Error('the documentation is not built: npm run build');
  for (const [name, { plain }] of readBuilt(HELP_DIR) ?? []) {
    if (!name.endsWith('.html')) continue;
    const path = name === '/index.html' ? '/help' : `/help${name.slice(0, -'.html'.length)}`;
    texts.set(path, plain.toString());
    ids.set(path, new Set([...plain.toString().matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)));
  }
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

/** Sends the path unchanged, unlike `fetch`. */
async function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(api.url);
  const [response] = await once(get({ hostname, port, path, agent: false }), 'response');
  response.resume();
  return response.statusCode;
}

it('every page of the documentation is served, with the policy of the pages', async () => {
  expect(texts.size).toBeGreaterThan(90);
  for (const [path, text] of texts) {
    const answer = await fetch(api.url + path);
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, text]);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(text).not.toMatch(/<script(?! (type="module" )?src="\/)| on\w+="/);
  }
});

it('every link within it leads to a page, a picture or a heading that exists', async () => {
  const links = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/<(?:a|img|link|script)\b[^>]* (?:href|src)="([^"]+)"/g)].map(([, link = '']) => {
      const [path = '', anchor] = link.startsWith('#') ? [page, link.slice(1)] : link.split('#');
      return { page, link, path, anchor };
    }),
  );
  const inside = links.filter(({ path }) => path.startsWith('/'));
  const others = [...new Set(inside.map(({ path }) => path))].filter((path) => !texts.has(path));
  const missing = [];
  for (const path of others) if ((await fetch(api.url + path)).status !== 200) missing.push(path);
  const dead = inside.filter(
    ({ path, anchor }) => texts.has(path) && anchor !== undefined && !ids.get(path)?.has(decodeURIComponent(anchor)),
  );

  process.stdout.write(`help: ${texts.size} pages, ${inside.length} links within them\n`);
  expect(missing).toEqual([]);
  expect(dead).toEqual([]);
  // The rest are addresses of other sites.
  expect(links.filter(({ path }) => !/^(\/|https?:|mailto:)/.test(path))).toEqual([]);
});

it('a path without a page is not found, and no other file can be read', async () => {
  for (const path of ['/help/nothing', '/help/../package.json', '/help/%2e%2e/package.json', '/help/index.html.gz'])
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  expect((await fetch(`${api.url}/help/`)).status).toBe(200);
  expect((await fetch(`${api.url}/help`, { method: 'POST' })).status).toBe(405);
});
