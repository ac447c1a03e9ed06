import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  openBrowser,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { openPage, type WatchedPage } from '../admin/watched-page.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let world: World;
let api: TestApi;
let browser: Browser;
let person: Person;
/** One page for all tests, because creating it takes most of their time. */
let page: Page;
let troubles: WatchedPage['troubles'];

beforeAll(async () => {
  world = await createWorld();
  // The configured address differs from the address of the page; the page must use its own.
  api = await world.api({ settings: { publicUrl: 'https://jobs.example.com' } });
  browser = await openBrowser();
  person = await register(api.call);
  ({ page, troubles } = await openPage(browser, api.url));
  await page.goto('/docs');
  await page.locator('.opblock').first().waitFor();
});

afterAll(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await world.end();
});

/** Serious accessibility findings in what swagger-ui itself renders. */
const OF_SWAGGER_UI: readonly string[] = ['nested-interactive'];

// The page and its script are large, and the machine may be busy.
describe('/docs', () => {
  it('shows every operation, sends no request to another host, and leaves nothing in the console', async () => {
    const { paths } = (await api.call('GET', '/openapi.json')).body;
    const operations = Object.values(paths).flatMap((path) => Object.keys(path as object));

    expect(await page.locator('.opblock').count()).toBe(operations.length);
    expect(troubles()).toEqual([]);
  });

  it.each([
    ['light', '{}'],
    // Another color scheme changes the colors and nothing else.
    ['dark', "{ runOnly: ['color-contrast', 'link-in-text-block'] }"],
  ] as const)('has no serious accessibility issue except those of its library, %s', async (colorScheme, options) => {
    await page.emulateMedia({ colorScheme });
    // While one color scheme fades into the other, the colors belong to neither.
    await until('the colors of the scheme', () => page.evaluate('document.getAnimations().length === 0'));
    await page.evaluate(axe);

    const violations = await page.evaluate(
      `axe.run(${options}).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html.slice(0, 200)) })))`,
    );

    // The cast: the script above builds this type from axe's findings.
    const found = violations as { id: string; impact: string }[];
    const grave = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(grave.filter(({ id }) => !OF_SWAGGER_UI.includes(id))).toEqual([]);
  });

  it('runs an example with a pasted token, against the address of the page', async () => {
    await page.locator('.btn.authorize').click();
    await page.getByLabel('auth-bearer-value').fill(person.token);
    await page.locator('.auth-container', { hasText: 'bearer' }).locator('button.authorize').click();
    await page.locator('.btn-done').first().click();

    const submit = page.locator('#operations-jobs-submitJob');
    await submit.locator('.opblock-summary-control').click();
    await submit.getByRole('button', { name: 'Try it out' }).click();
    await submit.getByRole('button', { name: 'Execute' }).click();
    await submit.locator('.live-responses-table .response-col_status', { hasText: '202' }).waitFor();

    expect((await person.get('/jobs')).body).toHaveLength(1);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).toBe(
      '[{},{},""]',
    );
    expect(troubles()).toEqual([]);
  });

  it('answers HTML at one path only, and serves only the files of the packages that the page needs', async () => {
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(api.url + path, init);
      return [response.status, response.headers.get('content-type')];
    };
    expect(await ask('/docs')).toEqual([200, 'text/html; charset=utf-8']);
    expect(await ask('/docs/init.js')).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(await ask('/docs', { method: 'POST' })).toEqual([405, 'application/json; charset=utf-8']);
    for (const path of [
      '/docs/',
      '/docs/index.html',
      '/docs/package.json',
      '/docs/..%2Fdocs%2Finit.js',
      '/docs/x/init.js',
    ]) {
      expect([path, ...(await ask(path))]).toEqual([path, 404, 'application/json; charset=utf-8']);
    }
  });

  it.each([{ range: 'bytes=99999999-' }, { range: 'bytes=0-9' }, { 'if-match': '"another"' }])(
    'sends its files whole, whatever part or state of them is asked for: %o',
    async (headers) => {
      const response = await fetch(`${api.url}/docs/init.js`, { headers });

      expect(response.status).toBe(200);
      expect(await response.text()).toContain('SwaggerUIBundle');
    },
  );

  it('does not resend what the browser already has', async () => {
    const etag = (await fetch(`${api.url}/docs/init.js`)).headers.get('etag') ?? '';

    const again = await fetch(`${api.url}/docs/init.js`, { headers: { 'if-none-match': etag } });

    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('allows no inline script and no frame around it', async () => {
    const response = await fetch(`${api.url}/docs`);

    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(response.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|https?:\/\/|<style| on\w+=/);
  });
});
