import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  cpuTimeOf,
  createWorld,
  type Person,
  register,
  type TestApi,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const job = { type: 'custom.type', payload: {} };
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const YEAR_MS = 366 * 86_400_000;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const submit = (body: unknown) => person.post('/jobs', body);
const submitRaw = (raw: string) => api.call('POST', '/jobs', { token: person.token, raw });
const read = async (id: string): Promise<Answered> => person.get(`/jobs/${encodeURIComponent(id)}`);

describe('POST /jobs', () => {
  it('answers 202 with exactly an id and pending', async () => {
    const answer = await submit(job);

    expect(answer.status).toBe(202);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'pending' });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });

  it('accepts the capitalized spelling as the same body', async () => {
    const answer = await submit({ ID: 'Order:1', Type: 'a', Payload: { a: [1] }, MaxRetries: 2 });

    expect([answer.status, answer.body]).toEqual([202, { id: 'Order:1', status: 'pending' }]);
    expect((await read('Order:1')).body).toMatchObject({ type: 'a', payload: { a: [1] }, max_retries: 2 });
  });

  it('has defaults: no retries, priority 0, now', async () => {
    for (const body of [job, { Type: 'a', Payload: {} }]) {
      const { id } = (await submit(body)).body;
      const row = await world.db.job.findFirstOrThrow({ where: { id } });
      expect([row.maxRetries, row.retries, row.priority, row.attempt]).toEqual([0, 0, 0, 0]);
      expect(row.runAt).toEqual(row.createdAt);
    }
  });

  it.each([
    { max_retries: 0 },
    { max_retries: 100 },
    { max_retries: -0 },
    { priority: 0 },
    { priority: 9 },
    { run_at: '1970-01-01T00:00:00Z' },
    { run_at: '2024-02-29T23:59:59.123456789+23:59' },
    { run_at: inMs(YEAR_MS - 60_000) },
    { run_at: '2026-01-01T00:00-05:30' },
    { id: '7' },
    { id: '__proto__' },
    { id: 'constructor' },
    { id: `a${'-._:Z9'.repeat(21)}b` },
    { type: 'x'.repeat(128) },
    { type: '__proto__' },
  ])('accepts %j', async (more) => {
    expect((await submit({ ...job, ...more })).status).toBe(202);
  });

  it('runs a job with an offset in its run_at at exactly that moment', async () => {
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_500);
    const local = new Date(at.getTime() - 5.5 * 3_600_000).toISOString().replace('00Z', '-05:30');
    const { id } = (await submit({ ...job, run_at: local })).body;
    expect((await person.get(`/jobs/${id}/result`)).body.run_at).toBe(at.toISOString());
  });
});

describe('an invalid submission is rejected, and every issue is listed', () => {
  const of = (name: string, ...values: unknown[]): [unknown, string[]][] =>
    values.map((value) => [{ ...job, [name]: value }, [name]]);
  const capital = { Type: 'a', Payload: {} };

  it.each<[unknown, string[]]>([
    [{}, ['type', 'payload']],
    [
      { type: 'a b', payload: [], max_retries: -1, priority: 99, run_at: 'x', id: '..', extra: 1 },
      ['type', 'payload', 'max_retries', 'priority', 'run_at', 'id', 'extra'],
    ],
    ...of('type', null, 1, [], {}, '', ' ', 'a b', 'ž', 'a/b', 'a\u0000b', '\ud800', 'x'.repeat(129), 'a\n', '%00'),
    ...of('payload', null, 1, 'x', '{}', true, [], [{}]),
    ...of('max_retries', null, -1, 101, 1.5, '3', '', true, [], 1e308, -1e-9, 2 ** 53),
    ...of('priority', null, -1, 10, 1.5, '5', true, 1e99),
    ...of(
      'id',
      null,
      1,
      '',
      'a b',
      'a/b',
      'ž',
      'a\u0000',
      '\udfff',
      'x'.repeat(129),
      'a\n',
      '.',
      '..',
      'batch',
      'events',
    ),
    ...of(
      'run_at',
      null,
      '',
      1_700_000_000,
      'tomorrow',
      '2026-01-01',
      '12:00Z',
      '2026-01-01T12:00:00',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:60:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+24:00',
      '2026-01-01T00:00:00+00:60',
      '2026-01-01t00:00:00z',
      ' 2026-01-01T00:00:00Z',
      '+275760-09-13T00:00:00.001Z',
      '-000001-01-01T00:00:00Z',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-01:00',
      '2026-01-01T00:00:00Z\u0000',
      inMs(YEAR_MS + 60_000),
    ),
    [{ ...job, maxRetries: 1, queue: 'x', status: 'done' }, ['maxRetries', 'queue', 'status']],
    [{ ...capital, Priority: 1 }, ['Priority']],
    [{ Type: 1, MaxRetries: '1', ID: 'a b' }, ['Type', 'Payload', 'MaxRetries', 'ID']],
    [{ ...capital, Payload: [] }, ['Payload']],
    [{ TYPE: 'a', PAYLOAD: {} }, ['type', 'payload', 'TYPE', 'PAYLOAD']],
    [{ type: 'a', Payload: {} }, ['']],
    [{ ...job, Type: 'a' }, ['']],
    [{ ...job, MaxRetries: 1 }, ['']],
    [{ ...job, ID: 'a' }, ['']],
    [{ ...capital, run_at: inMs(0) }, ['']],
  ])('%.80j', async (body, paths) => {
    expectError(await submit(body), 400, 'validation_failed', paths);
  });

  it('with the issues of the payload of a built-in type, in the spelling of the caller', async () => {
    const answer = await submit({ type: 'webhook', payload: { url: 'ftp://x', payload: 1 }, max_retries: -1 });
    expectError(answer, 400, 'validation_failed', ['payload.url', 'payload.payload', 'max_retries']);

    const capitalized = await submit({ Type: 'webhook', Payload: { payload: 1 } });
    expectError(capitalized, 400, 'validation_failed', ['Payload.url', 'Payload.payload']);
  });

  it('with very many unknown names: a hundred of them are listed, at little cost', async () => {
    const body = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`name ${n}`, n]));
    await submit({ ...job, more: 1 });

    const cost = await cpuTimeOf(async () => {
      const answer = await submit({ ...job, ...body });
      expectError(answer, 400, 'validation_failed');
      expect(answer.body.error.details).toHaveLength(100);
    });

    // Searching each of them among all the others would take minutes.
    expect(cost).toBeLessThan(2_000);
  });

  it('with a very long name: its beginning is listed', async () => {
    const answer = await submit({ ...job, ['n'.repeat(900_000)]: 1 });
    expectError(answer, 400, 'validation_failed', ['n'.repeat(128)]);
  });

  it('with an own "__proto__" or "constructor"', async () => {
    for (const name of ['__proto__', 'constructor']) {
      const answer = await submitRaw(`{"type":"a","payload":{},"${name}":{"max_retries":5,"prototype":{"x":1}}}`);
      expectError(answer, 400, 'validation_failed', [name]);
    }
    expect((await submitRaw('{"__proto__":{"type":"a","payload":{}}}')).status).toBe(400);
  });

  it('without storing any of it', async () => {
    const before = await world.db.job.count();
    await submit({ ...job, extra: 1 });
    await submit({ ...job, type: 'webhook' });
    expect(await world.db.job.count()).toBe(before);
  });
});

describe('a payload', () => {
  it('is returned unchanged: unicode, unusual names, numbers, empty values', async () => {
    const payload = {
      text: 'žluťoučký 你好 👩‍👩‍👧 \u2028 "quoted" \\ \b\f\n\r\t',
      '': 'empty name',
      numbers: [0, -1, 0.1, 1e-7, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 5e-324, 1e21],
      empties: [{}, [], '', null, false],
      constructor: 'c',
      toString: 't',
      z: 1,
      a: 2,
    };
    const { id } = (await submit({ ...job, payload })).body;
    const { body } = await read(id);
    expect(body.payload).toEqual(payload);
    expect(Object.keys(body.payload)).toEqual(Object.keys(payload));
  });

  it.each([
    '{"a":"x\\u0000y"}',
    '{"x\\u0000y":1}',
    '{"a":"x\\ud800y"}',
    '{"a":"\\udc00"}',
    '{"__proto__":{"polluted":true},"a":1}',
    '{"a":{"__proto__":[1]}}',
  ])('%s is kept unchanged', async (text) => {
    const { id } = (await submitRaw(`{"type":"a","payload":${text}}`)).body;
    expect((await read(id)).text).toContain(`"payload":${text}`);
  });

  it('may be 64 levels deep and no deeper, with objects and with arrays', async () => {
    const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    const arrays = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    for (const nested of [objects, arrays]) {
      expect((await submitRaw(`{"type":"a","payload":${nested(64)}}`)).status).toBe(202);
      for (const levels of [65, 1_000, 100_000]) {
        const cost = await cpuTimeOf(async () => {
          const answer = await submitRaw(`{"type":"webhook","payload":${nested(levels)}}`);
          expectError(answer, 400, 'validation_failed');
          expect(answer.body.error.details).toHaveLength(1);
        });
        // A path that is built for each level would take minutes.
        expect(cost).toBeLessThan(2_000);
      }
    }
  });

  it('has no numbers that JSON cannot represent', async () => {
    const big = `1${'0'.repeat(400)}`;
    const answer = await submitRaw(`{"type":"a","payload":{"a":1e999,"b":[{"c":-1e999}],"d":${big}}}`);
    expectError(answer, 400, 'validation_failed', ['payload.a', 'payload.b[0].c', 'payload.d']);
    expectError(await submitRaw('{"Type":"a","Payload":{"a":1e999}}'), 400, 'validation_failed', ['Payload.a']);
    expectError(await submitRaw('{"type":"a","payload":{},"max_retries":1e999}'), 400, 'validation_failed', [
      'max_retries',
    ]);
  });

  it('with 900 KiB or 50,000 names is returned completely', async () => {
    const blob = { blob: 'abcdefghij'.repeat(92_160) };
    const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]));
    for (const payload of [blob, names]) {
      const { id } = (await submit({ ...job, payload })).body;
      expect((await read(id)).body.payload).toEqual(payload);
    }
  });
});
