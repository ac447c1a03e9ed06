import { Redis } from 'ioredis';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  openBrowser,
  type Person,
  register,
  startOwnRedis,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { openPage } from './watched-page.js';

const operator = { user: 'ops', password: 'correct horse' };
const httpCredentials = { username: operator.user, password: operator.password };
const authorization = `Basic ${Buffer.from('ops:correct horse').toString('base64')}`;
const BOARD = '/admin/queues';
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

let world: World;
let api: TestApi;
let browser: Browser;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { operator } });
  browser = await openBrowser();
  person = await register(api.call);
});

afterAll(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await world.end();
});

async function ask(path: string, init: RequestInit = {}, url = api.url) {
  const response = await fetch(url + path, { redirect: 'manual', headers: { authorization }, ...init });
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  const body: any = await response.json().catch(() => null);
  return { status: response.status, headers: response.headers, body };
}

async function submit(): Promise<void> {
  const payload = { url: 'https://a.example/hook', payload: { secret: 'hush-hush' } };
  expect((await person.post('/jobs', { type: 'webhook', payload })).status).toBe(202);
}

describe('the board of the queues', () => {
  it('shows waiting jobs in a browser: no payload, no other host, no action, no console message', async () => {
    await submit();
    const { body, io } = await until('the job to wait in Redis', async () => {
      const { body } = await ask(`${BOARD}/api/queues?activeQueue=io&status=waiting`);
      const io = body.queues.find(({ name }: { name: string }) => name === 'io');
      return io.counts.waiting > 0 && { body, io };
    });
    const { page, troubles } = await openPage(browser, api.url, { httpCredentials });

    await page.goto(BOARD);
    for (const queue of ['io', 'cpu', 'browser']) await page.getByText(queue, { exact: true }).first().waitFor();
    await page.goto(`${BOARD}/queue/io?status=waiting`);
    await page.getByText(io.jobs[0].id).first().waitFor();
    await page.getByText('finished jobs are in Postgres').first().waitFor();
    // biome-ignore lint/performance/useDomNodeTextContent: what is seen, not what the scripts hold
    const text = await page.locator('body').innerText();

    expect(text).toContain('Read-only');
    expect(text).not.toMatch(/pause|retry|promote|obliterate|hush|example/i);
    expect(JSON.stringify(body)).not.toMatch(/hush|example|webhook/);
    expect(troubles()).toEqual([]);
  });

  it('shows the workers that consume a queue', async () => {
    const worker = await world.worker();
    await until('the worker to be seen', async () => {
      const { body } = await ask(`${BOARD}/api/queues`);
      return body.queues.every(({ hasWorkers }: { hasWorkers: boolean }) => hasWorkers);
    });
    await worker.stop();
  });

  it('requires the credentials of an operator and accepts none of an organization', async () => {
    const key = (await person.post('/org/api-keys', { name: 'k' })).body.key;
    const given: HeadersInit[] = [{}, { authorization: `Bearer ${person.token}` }, { 'x-api-key': key }];

    for (const path of [
      BOARD,
      `${BOARD}/`,
      `${BOARD}/api/queues`,
      `${BOARD}/static/favicon.ico`,
      '/admin',
      '/admin/x',
    ]) {
      for (const headers of given) {
        const { status, headers: answered, body } = await ask(path, { headers });
        expect([path, status, body.error.code]).toEqual([path, 401, 'unauthenticated']);
        expect(answered.get('www-authenticate')).toMatch(/^Basic realm=/);
      }
    }
    expect((await api.call('GET', '/jobs', { headers: { authorization } })).status).toBe(401);
  });

  it.each(METHODS)('rejects %s with every credential, because actions would bypass Postgres', async (method) => {
    for (const path of [`${BOARD}/api/queues/io/pause`, `${BOARD}/api/queues/io/clean/wait`, BOARD, '/admin']) {
      const { status, headers } = await ask(path, { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('sends complete files, also for conditional and partial requests', async () => {
    for (const asked of [{ range: 'bytes=99999999-' }, { 'if-match': '"another"' }]) {
      const headers = { authorization, ...asked };
      expect((await ask(`${BOARD}/static/favicon.ico`, { headers })).status).toBe(200);
    }
  });

  it('answers unknown paths with 404', async () => {
    expect((await ask('/admin')).body.error.code).toBe('not_found');
    expect((await ask(`${BOARD}/api/queues/io/01-1`)).status).toBe(404);
  });

  it('rejects an address that guesses, but never valid credentials, because callers may share a proxy', async () => {
    const guessed = await world.api({ settings: { operator } });
    const guess = { headers: { authorization: 'Basic b3BzOmd1ZXNz' } };
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await ask(BOARD, guess, guessed.url)).status);

    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const { status, headers } = await ask(BOARD, guess, guessed.url);
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect((await ask(BOARD, {}, guessed.url)).status).toBe(200);
    expect((await ask(BOARD, guess, guessed.url)).status).toBe(429);
  });

  it('does not exist without a configured operator', async () => {
    const without = await world.api();

    for (const method of ['GET', ...METHODS]) {
      for (const path of [BOARD, `${BOARD}/api/queues`, '/admin']) {
        expect((await ask(path, { method }, without.url)).status).toBe(404);
      }
    }
  });

  it('allows its page only its own scripts, and no frame around it', async () => {
    const response = await fetch(api.url + BOARD, { headers: { authorization } });
    const html = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';

    expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
    expect(html).not.toMatch(/https?:\/\//);
    expect(html.match(/<script(?![^>]*\bsrc="static\/)[^>]*>/g)).toEqual([
      '<script id="__UI_CONFIG__" type="application/json">',
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.has('x-powered-by')).toBe(false);
    expect(response.headers.has('x-request-id')).toBe(true);
  });

  it('reports immediately that Redis is away, and shows the queues again when it is back', async () => {
    const redis = await startOwnRedis();
    const own = await world.api({ redisUrl: redis.url, settings: { operator } });
    const queuesAnswer = () => ask(`${BOARD}/api/queues`, {}, own.url);
    await until('the board to show the queues', async () => (await queuesAnswer()).status === 200);
    await redis.server.stop();

    const away = await until('the board to notice', async () => {
      const answer = await queuesAnswer();
      return answer.status === 503 && answer;
    });
    expect(away.body.error.message).toMatch(/^Redis does not answer/);
    await redis.server.start();
    await until('the board to show the queues again', async () => (await queuesAnswer()).status === 200);

    const client = new Redis(redis.url);
    expect(await client.keys('*')).toEqual([]); // the board has written nothing
    client.disconnect();
    await redis.end();
  });
});
