import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError, expectUnauthenticated, newKey } from '../support.js';

let world: World;
let open: TestApi;
let narrow: TestApi;

const KIB = 1_024;
const settings = { trustProxy: 1 };
const limits = {
  readPerMin: 5,
  controlPerMin: 3,
  submitBytesPerS: 2 * KIB,
  credentialsPerMin: 3,
};

beforeAll(async () => {
  world = await createWorld();
  open = await world.api({ settings });
  narrow = await world.api({ settings, limits });
});
afterAll(() => world.end());

let addresses = 0;
const newAddress = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` });

function expectLimited(answer: Answered, limit: number): void {
  expectError(answer, 429, 'rate_limited');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.headers.get('ratelimit-limit')).toBe(String(limit));
  expect(answer.headers.get('ratelimit-remaining')).toBe('0');
}

/** Repeats a request until it is limited. Returns the error response. */
async function untilLimited(ask: () => Promise<Answered>, limit: number): Promise<Answered> {
  const refused = await until('a limited response', async () => {
    const answers = await Promise.all(Array.from({ length: limit + 1 }, ask));
    return answers.find(({ status }) => status === 429);
  });
  expectLimited(refused, limit);
  return refused;
}

describe('the read budget', () => {
  it('is counted for each caller at all endpoints, and the headers report the rest', async () => {
    const person = await register(narrow.call);
    const first = await person.get('/jobs');
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('5');
    expect(first.headers.get('ratelimit-remaining')).toBe('4');

    for (const path of ['/jobs/unknown', '/org/templates', '/auth/me', '/stats/jobs']) await person.get(path);
    await untilLimited(() => person.get('/jobs/events'), 5);
    expectLimited(await narrow.call('GET', '/jobs', { token: person.token }), 5);
    expect((await person.post('/auth/logout')).status).toBe(204);
  });

  it('is separate for each caller, up to ten times as much for the organization', async () => {
    const person = await register(narrow.call);
    const { key } = await newKey(person);
    await untilLimited(() => person.get('/jobs'), 5);
    expect((await narrow.call('GET', '/jobs', { key })).status).toBe(200);

    for (let n = 0; n < 10; n++) {
      const { key: another } = await newKey(person);
      for (let m = 0; m < 5; m++) await narrow.call('GET', '/jobs', { key: another });
    }
    const { key: last } = await newKey(person);
    await untilLimited(() => narrow.call('GET', '/jobs', { key: last }), 50);
    expect((await (await register(narrow.call)).get('/jobs')).status).toBe(200);
  });
});

it('the changes of each caller have a rate limit, and those of an organization ten times as much', async () => {
  const strict = await world.api({ settings, limits: { managePerMin: 5 } });
  const person = await register(open.call);
  const change = (key: string) => strict.call('DELETE', '/schedules/unknown', { key });
  const keys: string[] = [];
  for (let n = 0; n < 20; n++) keys.push((await newKey(person, `key ${n}`, { scopes: ['schedules:write'] })).key);
  const [first = '', ...others] = keys;
  expect((await change(first)).status).toBe(404);
  await untilLimited(() => change(first), 5);

  const answers = await Promise.all(others.flatMap((key) => Array.from({ length: 5 }, () => change(key))));

  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  for (const answer of limited) expectLimited(answer, 50);
  const other = await newKey(await register(open.call), 'a key', { scopes: ['schedules:write'] });
  expect((await change(other.key)).status).toBe(404);
});

it('retries and cancels of an organization share one rate limit', async () => {
  const person = await register(narrow.call);
  const id = await submitJob(person, 'x', {});
  const cancel = await person.post(`/jobs/${id}/cancel`);
  expect(cancel.status).toBe(202);
  expect(cancel.headers.get('ratelimit-limit')).toBe('3');

  expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
  await untilLimited(() => person.post(`/jobs/${id}/retry`), 3);
  expectLimited(await person.post('/jobs/unknown/cancel'), 3);
});

describe('the bytes that an organization submits', () => {
  const body = (sizeBytes: number) => ({ type: 'x', payload: { text: 'x'.repeat(sizeBytes) } });

  it('are counted before the body is read; one body above the rate is accepted and delays later ones', async () => {
    const person = await register(narrow.call);
    expect((await person.post('/jobs', body(20 * KIB))).status).toBe(202);

    const refused = await narrow.call('POST', '/jobs', { token: person.token, raw: '{'.repeat(100) });
    expectLimited(refused, 2 * KIB);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5);
    expectLimited(await person.post('/jobs/batch', { jobs: [body(1)] }), 2 * KIB);
    expectLimited(await person.post('/sms/send', { to: '+254711000111', message: 'hi' }), 2 * KIB);
    expect((await (await register(narrow.call)).post('/jobs', body(1))).status).toBe(202);
  });

  it('are counted up to the maximum body size, whatever length the request declares', async () => {
    const person = await register(narrow.call);
    const request = http.request(`${narrow.url}/jobs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${person.token}`,
        'content-type': 'application/json',
        'content-length': '1000000000000',
      },
    });
    request.flushHeaders();
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(413);
    request.on('error', () => undefined).destroy();

    const refused = await person.post('/jobs', body(1));
    expectLimited(refused, 2 * KIB);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(512);
  });

  it('are counted after the body has been read, if the request does not declare its length', async () => {
    const person = await register(narrow.call);
    const request = http.request(`${narrow.url}/jobs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${person.token}`,
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
      },
    });
    request.end(JSON.stringify(body(20 * KIB)));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(202);
    response.resume();

    expectLimited(await person.post('/jobs', body(1)), 2 * KIB);
  });
});

describe('wrong credentials', () => {
  const useKey = (key: string, headers: Record<string, string>) => narrow.call('GET', '/jobs', { key, headers });

  it('are counted for their address; beyond the limit, unknown keys are rejected and known ones pass', async () => {
    const person = await register(open.call);
    const [known, unknown] = [await newKey(person), await newKey(person)];
    const headers = newAddress();
    expect((await useKey(known.key, headers)).status).toBe(200);
    for (let n = 0; n < 3; n++) expectUnauthenticated(await useKey(madeUpKey(), headers));

    await untilLimited(() => useKey(madeUpKey(), headers), 3);
    expectLimited(await useKey(unknown.key, headers), 3);
    expect((await useKey(known.key, headers)).status).toBe(200);
    expect((await narrow.call('GET', '/auth/me', { token: person.token, headers })).status).toBe(200);
    expect((await useKey(unknown.key, newAddress())).status).toBe(200);
  });

  it('are counted once if they are repeated while they are remembered', async () => {
    const headers = newAddress();
    const revoked = madeUpKey();
    for (let n = 0; n < 20; n++) expectUnauthenticated(await useKey(revoked, headers));
  });

  it('may also be tokens', async () => {
    const headers = newAddress();
    const guess = () =>
      narrow.call('GET', '/auth/me', { token: `a.b.${randomBytes(9).toString('base64url')}`, headers });
    for (let n = 0; n < 3; n++) expectUnauthenticated(await guess());
    await untilLimited(guess, 3);
  });

  it('are counted together for all addresses of an IPv6 network', async () => {
    for (let n = 0; n < 30; n++) {
      expectUnauthenticated(await useKey(madeUpKey(), { 'x-forwarded-for': `2001:db8:77:${n}::1` }));
    }
    await untilLimited(() => useKey(madeUpKey(), { 'x-forwarded-for': `2001:db8:77:${++addresses + 100}::1` }), 30);
  });
});

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A well-formed key with a valid checksum, as anyone can make one. */
function madeUpKey(): string {
  const random = Array.from({ length: 30 }, () => DIGITS.charAt(randomInt(62))).join('');
  let checksum = '';
  for (let rest = crc32(random), n = 0; n < 6; n++, rest = Math.floor(rest / 62)) {
    checksum = DIGITS.charAt(rest % 62) + checksum;
  }
  return `jl_${random}${checksum}`;
}
