import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { newKey } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

const APP = 'https://app.example.com';
const OTHER = 'http://localhost:5173';

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { corsOrigins: [APP, OTHER], publicUrl: 'https://jobs.example.com' } });
  person = await register(api.call);
});
afterAll(() => world.end());

describe('the security headers', () => {
  it.each([
    ['a success', 'GET', '/jobs'],
    ['a response without a body', 'POST', '/org/webhook-secret/rotate'],
    ['an error response', 'GET', '/jobs/unknown'],
    ['an unknown path', 'GET', '/nowhere'],
    ['an unknown method', 'PUT', '/jobs'],
    ['a public endpoint', 'GET', '/healthz'],
  ])('forbid framing, caching and reading by other sites: %s', async (_which, method, path) => {
    const { headers } = await api.call(method, path, { token: person.token });
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('do not include HSTS if the service is not reached through HTTPS', async () => {
    const plain = await world.api();
    expect((await plain.call('GET', '/healthz')).headers.has('strict-transport-security')).toBe(false);
  });
});

describe('a page of another site', () => {
  const ask = (origin: string, method = 'GET', headers: Record<string, string> = {}) =>
    api.call(method, '/jobs?limit=1', { token: person.token, headers: { origin, ...headers } });
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

  it.each([APP, OTHER])('can read responses and their headers from the configured origin %s', async (origin) => {
    const { status, headers } = await ask(origin);
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining([
        'Link',
        'X-Next-Cursor',
        'X-Request-Id',
        'RateLimit-Limit',
        'Idempotent-Replayed',
        'Retry-After',
      ]),
    );
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('can read error responses, so that its script can see the reason', async () => {
    const answer = await api.call('GET', '/jobs', { headers: { origin: APP } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, APP]);
  });

  it('can send what the API accepts from a configured origin', async () => {
    const answer = await fetch(`${api.url}/jobs`, { method: 'OPTIONS', headers: { origin: APP, ...preflight } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(answer.headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
    }
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'x-api-key', 'idempotency-key', 'last-event-id']),
    );
    expect(answer.headers.get('access-control-max-age')).toBe('600');
  });

  it.each([
    'https://evil.example.com',
    'https://app.example.com.evil.com',
    'https://app.example.com:8443',
    'http://app.example.com',
    'https://APP.example.com',
    'null',
    '*',
  ])('gets no CORS header from the unknown origin %s', async (origin) => {
    const read = await ask(origin);
    expect(read.headers.has('access-control-allow-origin')).toBe(false);
    expect(read.headers.get('vary')).toBe('Origin');
    const asked = await api.call('OPTIONS', '/jobs', { headers: { origin, ...preflight } });
    expect([asked.status, asked.headers.has('access-control-allow-origin')]).toEqual([405, false]);
  });

  it('gets no CORS header if no origins are configured', async () => {
    const closed = await world.api();
    const { key } = await newKey(person);
    const read = await closed.call('GET', '/jobs', { key, headers: { origin: APP } });
    const asked = await closed.call('OPTIONS', '/jobs', { headers: { origin: APP, ...preflight } });
    for (const { headers } of [read, asked]) {
      expect([...headers.keys()].filter((name) => /^access-control|^vary$/.test(name))).toEqual([]);
    }
    expect(asked.status).toBe(405);
  });
});
