import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { openBrowser, type Receiver, startReceiver } from '../harness/index.js';
import { type ClientWorld, createClientWorld } from './client-world.js';

const FOLDERS = { client: 'packages/client/dist', 'eventsource-parser': 'node_modules/eventsource-parser/dist' };
const IMPORTS = { '@jobline/client': '/client/index.js', 'eventsource-parser': '/eventsource-parser/index.js' };
const PAGE = `<!doctype html><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>`;

let at: ClientWorld;
let site: Receiver;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  site = await startReceiver(({ path }) => {
    const [, folder = '', ...rest] = path.split('/');
    if (!Object.hasOwn(FOLDERS, folder)) return { headers: { 'content-type': 'text/html' }, body: PAGE };
    // The cast: checked in the line before.
    const file = join(ROOT, FOLDERS[folder as keyof typeof FOLDERS], ...rest);
    return { headers: { 'content-type': 'text/javascript' }, body: readFileSync(file) };
  });
  at = await createClientWorld({ settings: { corsOrigins: [site.url] } });
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(site.url);
});
afterAll(async () => {
  await page.close();
  await site.close();
  await at.end();
});

/** Runs code of a module in the page, with `jobline`, and returns what it returns. */
function runInPage(code: string): Promise<unknown> {
  const options = JSON.stringify({ url: at.proxy.url, key: at.key });
  return page.evaluate(`(async () => {
    const { Jobline, JoblineError, verifyWebhook } = await import('@jobline/client');
    const jobline = new Jobline(${options});
    ${code}
  })()`);
}

it('a page submits jobs, follows them and reads their results', async () => {
  const result = await runInPage(`
    const { id } = await jobline.jobs.submit('echo', { from: 'a page' });
    const names = [];
    for await (const { event } of jobline.jobs.follow(id)) names.push(event);
    const { status } = await jobline.jobs.wait(id);
    const list = await jobline.jobs.list({ limit: 1 });
    return { status, isFollowed: names.includes('log'), result: await jobline.jobs.result(id), list };
  `);

  expect(result).toMatchObject({ status: 'done', isFollowed: true, result: { result: { from: 'a page' } } });
  expect(result).toMatchObject({ list: { data: [{ type: 'echo' }] } });
});

it('a page gets errors with their code and their request id', async () => {
  const error = await runInPage(`
    const error = await jobline.jobs.get('none').catch((error) => error);
    return { isKnown: error instanceof JoblineError, code: error.code, requestId: error.requestId };
  `);

  expect(error).toEqual({ isKnown: true, code: 'not_found', requestId: expect.any(String) });
});

it('a page verifies a signed event', async () => {
  const secret = `whsec_${Buffer.from('the secret of a page').toString('base64')}`;
  const now = new Date();
  const body = '{"type":"test.ping"}';
  const headers = {
    'webhook-id': 'a',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('a', now, body),
  };
  const given = [body, headers, secret].map((value) => JSON.stringify(value)).join(', ');

  expect(await runInPage(`return verifyWebhook(${given});`)).toEqual({ type: 'test.ping' });
});
