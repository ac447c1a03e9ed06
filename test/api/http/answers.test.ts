import { connect } from 'node:net';
import { endpoints } from '@jobline/api/endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { expectError, keepingLogger, type LogLine } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
let lines: LogLine[];

beforeAll(async () => {
  world = await createWorld();
  const kept = keepingLogger();
  lines = kept.lines;
  api = await world.api({ log: kept.log });
  person = await register(api.call);
});
afterAll(() => world.end());

/** The methods of each path, HEAD included. */
function methodsOfPaths(): Record<string, string[]> {
  const methods: Record<string, string[]> = {};
  for (const { method, path } of Object.values(endpoints)) {
    const names = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    methods[path] = [...(methods[path] ?? []), ...names];
  }
  return methods;
}

describe('X-Request-Id', () => {
  it.each(['a', 'req-1', 'Root=1-6789:abc/def+g@h', 'x'.repeat(128)])('keeps %j', async (id) => {
    const answer = await api.call('GET', '/healthz', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toBe(id);
  });

  it.each(['', 'a b', 'x'.repeat(129), 'a"b', 'a,b', '<b>', 'é'])('replaces %j', async (id) => {
    const answer = await api.call('GET', '/healthz', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is new for every request that sends none, rejected requests included', async () => {
    const answers = await Promise.all(['/healthz', '/nope', '/jobs'].map((path) => api.call('GET', path)));
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(3);
  });
});

describe('paths and methods', () => {
  it.each([
    '/nope',
    '/org',
    '/jobs/',
    '/Jobs',
    '//jobs',
    '/jobs/a/nope',
    '/auth/login/',
    '/.env',
    '/jobs/%E0%A4%A',
    '/%',
    '/org/api-keys/',
    '/constructor',
    '/__proto__',
  ])('%s has no endpoint', async (path) => {
    expectError(await api.call('GET', path, { token: person.token }), 404, 'not_found');
  });

  it.each(Object.entries(methodsOfPaths()))(
    'every other method of %s is rejected, and Allow lists its methods',
    async (pattern, methods) => {
      const path = pattern.replace(/:\w+/g, 'x');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (methods.includes(method)) continue;
        const answer = await api.call(method, path);
        expectError(answer, 405, 'method_not_allowed');
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...methods].sort());
      }
    },
  );

  it('HEAD has the same response as GET, without the body', async () => {
    const answer = await api.call('HEAD', '/jobs', { token: person.token });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await api.call('HEAD', '/jobs')).status).toBe(401);
  });
});

describe('every endpoint', () => {
  it.each([
    ['GET', '/jobs'],
    ['GET', '/jobs/x'],
    ['GET', '/jobs/x/result'],
    ['GET', '/org/api-keys'],
    ['GET', '/org/webhook-secret'],
    ['GET', '/auth/me'],
    ['POST', '/auth/logout'],
    ['POST', '/org/webhook-secret/rotate'],
    ['DELETE', '/org/api-keys/x'],
  ])('%s %s rejects unknown query parameters', async (method, path) => {
    const answer = await api.call(method, `${path}?nope=1&__proto__=2&a[b]=3`, { token: person.token });
    expectError(answer, 400, 'validation_failed', ['nope', '__proto__', 'a[b]']);
  });

  it('rejects repeated query parameters, known or not', async () => {
    const answer = await person.get('/jobs?limit=1&limit=1&x=1&x=2');
    expectError(answer, 400, 'validation_failed', ['limit', 'x']);
  });

  it('has no header that reveals its implementation', async () => {
    const { headers } = await api.call('GET', '/nope');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('etag')).toBeNull();
  });
});

it('an unknown path and a request that is not HTTP get the same error format', async () => {
  const raw = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.on('end', () => resolve(text)).on('error', reject);
    socket.write('GET /nowhere?x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  });
  expect(raw).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/);
});

describe('a failure of the service', () => {
  it('is a 500 that reveals nothing if it is unexpected, and the log has the cause', async () => {
    await world.db.$executeRaw`ALTER TABLE submitted_jobs RENAME TO submitted_away`;
    await world.db.$executeRaw`ALTER VIEW jobs RENAME TO jobs_away`;
    const answer = await person.post('/jobs', { type: 'a', payload: { secret: 'hush' } });
    const read = await person.get('/jobs/x');
    await world.db.$executeRaw`ALTER VIEW jobs_away RENAME TO jobs`;
    await world.db.$executeRaw`ALTER TABLE submitted_away RENAME TO submitted_jobs`;

    for (const failed of [answer, read]) {
      expectError(failed, 500, 'internal');
      const line = await until('the log line', () =>
        lines.find(({ fields }) => fields.request_id === failed.headers.get('x-request-id')),
      );
      expect([line.level, line.fields.status, line.fields.code]).toEqual(['error', 500, 'internal']);
      expect(line.fields.error).toBeInstanceOf(Error);
    }
  });

  it('is a 503 with Retry-After at every endpoint if Postgres is unreachable', async () => {
    const cut = await world.api({ databaseUrl: 'postgresql://postgres@127.0.0.1:1/gone' });
    const answers = [
      await cut.call('GET', '/jobs', { token: person.token }),
      await cut.call('POST', '/jobs', { token: person.token, body: { type: 'a', payload: {} } }),
      await cut.call('POST', '/auth/login', { body: { email: 'a@b.co', password: 'x' } }),
      await cut.call('POST', '/auth/register', { body: { org_name: 'a', email: 'a@b.co', password: 'long enough' } }),
      await cut.call('GET', '/readyz'),
    ];

    for (const answer of answers) {
      expectError(answer, 503, 'unavailable');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await cut.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('the request log', () => {
  it('has one line for each request, without query, credential or body', async () => {
    const id = 'log-of-one-request';
    await person.post('/jobs?token=in-the-query', { type: 'in the body' }, { headers: { 'x-request-id': id } });
    const all = await until('the line', () => lines.some(({ fields }) => fields.request_id === id) && [...lines]);

    expect(all.filter(({ fields }) => fields.request_id === id)).toEqual([
      {
        level: 'info',
        message: 'request rejected',
        fields: {
          request_id: id,
          method: 'POST',
          path: '/jobs',
          status: 400,
          duration_ms: expect.any(Number),
          ip: '127.0.0.1',
          org_id: person.orgId,
          by: 'user',
          code: 'validation_failed',
        },
      },
    ]);
    const text = JSON.stringify(all);
    for (const secret of ['in-the-query', 'in the body', person.token, person.password, person.email, 'hush']) {
      expect(text).not.toContain(secret);
    }
  });
});
