import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError, expectUnauthenticated } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const job = '{"type":"a","payload":{}}';

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

function post(raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return api.call('POST', '/jobs', { token: person.token, raw, headers });
}

describe('a JSON body', () => {
  it.each([
    ['', 'empty'],
    [' ', 'blank'],
    ['{', 'cut'],
    ['{"type":"a",}', 'with a trailing comma'],
    ["{'type':'a'}", 'in single quotes'],
    ['{"type":NaN,"payload":{}}', 'with NaN'],
    ['{"a":1}{"b":2}', 'of two objects'],
    ['{"type":"\u0001"}', 'with a raw control character'],
    ['\uFEFF', 'with a byte order mark alone'],
    ['\uFEFF\uFEFF{}', 'with two byte order marks'],
  ])('%j, %s, is rejected with invalid_json', async (raw) => {
    expectError(await post(raw), 400, 'invalid_json');
  });

  it('may begin with a byte order mark', async () => {
    expect((await post(`\uFEFF${job}`)).status).toBe(202);
    const { body } = await post('\uFEFF{"id":"marked","type":"a","payload":{"text":"\uFEFFx"}}');
    expect((await person.get(`/jobs/${body.id}`)).body.payload).toEqual({ text: '\uFEFFx' });
  });

  it.each<[method: string, path: string, body: object, status: number]>([
    ['POST', '/jobs/batch', { jobs: [{ type: 'a', payload: {} }] }, 202],
    ['POST', '/schedules/preview', { cron: '0 9 * * *' }, 200],
    ['POST', '/sms/send', { to: '+254711000111', message: 'Hello' }, 200],
    ['POST', '/org/templates', { name: 'marked', kind: 'sms', body: 'Hello' }, 201],
    ['PATCH', '/org/settings', { retention_days: 7 }, 200],
    ['PUT', '/org/limits/marked', { concurrency: 2 }, 200],
  ])('may begin with the bytes EF BB BF: %s %s', async (method, path, body, status) => {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(`\r\n${JSON.stringify(body)}`)]);
    const raw = Uint8Array.from(bytes);
    expect((await api.call(method, path, { token: person.token, raw })).status).toBe(status);
  });

  it.each([
    ['{"type":"a","payload":{"id":616581622363398142}}', ['payload.id']],
    ['{"type":"a","payload":{"tweet":{"id":1050118621198921728001}}}', ['payload.tweet.id']],
    ['{"type":"a","payload":{"at_ns":1764428400123456789,"n":1}}', ['payload.at_ns']],
    [
      '{"type":"a","payload":{"ids":[1,-9007199254740993,{"x":1541815603606036481}]}}',
      ['payload.ids[1]', 'payload.ids[2].x'],
    ],
    ['{"type":"a","payload":{},"max_retries":10000000000000000000000001}', ['max_retries']],
  ])('with an integer that would be rounded is rejected with its path: %s', async (raw, paths) => {
    const answer = await post(raw);
    expectError(answer, 400, 'validation_failed', paths);
    expect(answer.body.error.details[0].message).toContain('send it as a string');
    const batch = await api.call('POST', '/jobs/batch', { token: person.token, raw: `{"jobs":[${job},${raw}]}` });
    expectError(
      batch,
      400,
      'validation_failed',
      paths.map((path) => `jobs[1].${path}`),
    );
  });

  it('keeps exact integers and long numbers in texts', async () => {
    const payload = '{"exact":9007199254740992,"text":"616581622363398142","number":0.1234567890123456789}';
    const { body } = await post(`{"type":"a","payload":${payload}}`);
    expect((await person.get(`/jobs/${body.id}`)).body.payload).toEqual(JSON.parse(payload));
  });

  it('is rejected with invalid_json if it is not UTF-8', async () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      expectError(await post(Uint8Array.from(bytes)), 400, 'invalid_json');
    }
  });

  it.each(['null', '1', 'true', '"x"', '[]', '[{}]'])(
    '%s, which is not an object, is rejected with validation_failed',
    async (raw) => {
      expectError(await post(raw), 400, 'validation_failed', ['']);
    },
  );

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; v=1',
  ])('is accepted as %s', async (type) => {
    expect((await post(job, { 'content-type': type })).status).toBe(202);
  });

  it.each([
    'text/plain',
    'application/jsonx',
    'application/problem+json',
    'application/json; charset=latin1',
    'multipart/form-data; boundary=x',
    '',
  ])('is rejected as %j', async (type) => {
    expectError(await post(job, { 'content-type': type }), 415, 'unsupported_media_type');
  });

  it('is rejected if it is compressed', async () => {
    expectError(await post(job, { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
    expect((await post(job, { 'content-encoding': 'identity' })).status).toBe(202);
  });

  it('is accepted with exactly the maximum size and rejected with one byte more', async () => {
    const fill = 1024 * 1024 - '{"type":"a","payload":{"a":""}}'.length;
    const bodyOf = (length: number) => `{"type":"a","payload":{"a":"${'x'.repeat(length)}"}}`;

    expect((await post(bodyOf(fill))).status).toBe(202);
    expectError(await post(bodyOf(fill + 1)), 413, 'payload_too_large');
  });
});

// The client must be able to read the response: a connection that is closed with unread bytes is reset.
describe('a body of 10 MB that is rejected', () => {
  const large = '"'.padEnd(10_000_000, 'x');

  it('lets its sender read the error response, whatever the reason', async () => {
    for (let i = 0; i < 3; i++) {
      expectError(await post(large), 413, 'payload_too_large');
      expectUnauthenticated(await api.call('POST', '/jobs', { raw: large }));
      expectError(await api.call('POST', '/nope', { raw: large }), 404, 'not_found');
      expectError(await api.call('DELETE', '/jobs', { raw: large }), 405, 'method_not_allowed');
    }
  });

  it('lets its sender read the error response even if its length is undeclared', async () => {
    const head = 'POST /jobs HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n';
    const answer = await speak(`${head}989680\r\n${large}\r\n0\r\n\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('"unauthenticated"');
  });

  it('is rejected because of its declared length alone', async () => {
    const head = `POST /jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\ncontent-length: 10000000\r\n\r\n`;
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write(head);

    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('is cut off if it has no end', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const closed = new Promise<string>((resolve) => {
      socket.once('close', () => resolve('closed'));
      socket.on('error', () => resolve('reset'));
    });
    socket.write('POST /jobs HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const pour = () => {
      while (socket.writable && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();

    expect(await closed).toMatch(/closed|reset/);
  });
});

it('a connection stays usable after a rejected body', async () => {
  const refused = `POST /jobs HTTP/1.1\r\nhost: x\r\ncontent-length: ${job.length}\r\n\r\n${job}`;
  const answer = await speak(`${refused}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);

  expect(answer.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
});

it('a body that breaks off does not harm the service', async () => {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(
    `POST /jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\ncontent-length: 100\r\n\r\n{"type"`,
  );
  await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();

  expect((await api.call('GET', '/healthz')).status).toBe(200);
});

it('an endpoint without a body ignores one', async () => {
  const other = await api.call('POST', '/auth/login', { body: { email: person.email, password: person.password } });

  expect((await api.call('POST', '/auth/logout', { token: other.body.token, raw: '{' })).status).toBe(204);
});

/** Sends the text unchanged and returns everything that is received until the other end closes. */
function speak(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('data', (data) => {
      answer += data.toString();
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
    socket.write(text);
  });
}
