import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  keysLike,
  openRedis,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError, expectUnauthenticated } from '../support.js';

let world: World;
let api: TestApi;
let narrow: TestApi;
let owner: Person;

const settings = { trustProxy: 1 };
let addresses = 0;
/** An address that no other test uses. */
const newAddress = () => `192.0.2.${++addresses}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings });
  narrow = await world.api({ settings, limits: { loginPerMin: 3 } });
  owner = await register(api.call);
  // While Redis does not answer, an API counts alone, with a quarter of the limits.
  const remaining = async () =>
    (await logIn(narrow, newAddress(), owner.email, owner.password)).headers.get('ratelimit-remaining');
  await until('the API to count in Redis', async () => (await remaining()) === '2');
});
afterAll(() => world.end());

function logIn(at: TestApi, address: string, email: string, password = 'wrong'): Promise<Answered> {
  return at.call('POST', '/auth/login', { body: { email, password }, headers: from(address) });
}

/** The distinct statuses of so many simultaneous requests. */
async function statusesOf(count: number, ask: () => Promise<Answered>): Promise<Set<number>> {
  const answers = await Promise.all(Array.from({ length: count }, ask));
  return new Set(answers.map(({ status }) => status));
}

function expectLimited(answer: Answered, limit: number, windowS: number): void {
  expectError(answer, 429, 'rate_limited');
  const retryAfterS = Number(answer.headers.get('retry-after'));
  expect(retryAfterS).toBeGreaterThan(windowS - 60);
  expect(retryAfterS).toBeLessThanOrEqual(windowS);
  expect(answer.headers.get('ratelimit-limit')).toBe(String(limit));
  expect(answer.headers.get('ratelimit-remaining')).toBe('0');
  expect(answer.headers.get('ratelimit-reset')).toBe(String(retryAfterS));
}

/** Resets the budgets in Redis, as if their time were over. */
async function letTimePass(): Promise<void> {
  const redis = openRedis(world.redisUrl);
  const keys = await keysLike(redis, `${world.prefix}:limit:*-*`);
  expect(keys.length).toBeGreaterThan(0);
  await Promise.all(keys.map((key) => redis.del(key)));
  redis.disconnect();
}

describe('a client address at an auth endpoint', () => {
  it('is accepted up to the limit per minute, then rejected whatever it sends, and accepted again later', async () => {
    const address = newAddress();
    const passed = await logIn(narrow, address, owner.email, owner.password);
    expect(passed.status).toBe(200);
    expect(passed.headers.get('ratelimit-limit')).toBe('3');
    expect(passed.headers.get('ratelimit-remaining')).toBe('2');
    expectError(await logIn(narrow, address, owner.email), 401, 'invalid_credentials');
    expectError(await narrow.call('POST', '/auth/login', { raw: '{', headers: from(address) }), 400, 'invalid_json');

    expectLimited(await logIn(narrow, address, owner.email, owner.password), 3, 60);
    expectLimited(await narrow.call('POST', '/auth/login', { raw: '{', headers: from(address) }), 3, 60);
    await letTimePass();
    expect((await logIn(narrow, address, owner.email, owner.password)).status).toBe(200);
  });

  it('does not limit other addresses or the submissions of its own organization', async () => {
    const address = newAddress();
    for (let n = 0; n < 3; n++) await logIn(narrow, address, 'unknown@example.com');
    expectLimited(await logIn(narrow, address, 'unknown@example.com'), 3, 60);

    expect((await logIn(narrow, newAddress(), owner.email, owner.password)).status).toBe(200);
    const body = { type: 'x', payload: {} };
    const submitted = await narrow.call('POST', '/jobs', { token: owner.token, body, headers: from(address) });
    expect(submitted.status).toBe(202);
    expect((await narrow.call('GET', '/auth/me', { token: owner.token, headers: from(address) })).status).toBe(200);
  });

  it('is counted by all API processes together', async () => {
    const address = newAddress();
    const other = await world.api({ settings, limits: { loginPerMin: 3 } });
    for (const at of [narrow, other, narrow])
      expect((await logIn(at, address, 'unknown@example.com')).status).toBe(401);

    expectLimited(await logIn(other, address, 'unknown@example.com'), 3, 60);
  });

  it('is its /64 network with IPv6', async () => {
    for (const last of ['1', '2:2', 'ffff:ffff:ffff:ffff']) {
      const expanded = last.split(':').length === 4 ? `2001:db8:1:2:${last}` : `2001:db8:1:2::${last}`;
      expect((await logIn(narrow, expanded, 'unknown@example.com')).status).toBe(401);
    }

    expectLimited(await logIn(narrow, '2001:db8:1:2::9', 'unknown@example.com'), 3, 60);
    expect((await logIn(narrow, '2001:db8:1:3::9', 'unknown@example.com')).status).toBe(401);
  });

  it('shares ten times as much with the rest of its /48 network', async () => {
    const ofNetwork = (n: number) => `2001:db8:ffff:${n}::1`;
    for (let n = 0; n < 10; n++) {
      expect(await statusesOf(3, () => logIn(narrow, ofNetwork(n), 'unknown@example.com'))).toEqual(new Set([401]));
    }

    expectLimited(await logIn(narrow, ofNetwork(10), 'unknown@example.com'), 30, 60);
    expect((await logIn(narrow, '2001:db8:fffe::1', 'unknown@example.com')).status).toBe(401);
  });

  it('is limited before its credential is checked, and after the method of the path', async () => {
    const address = newAddress();
    const change = () => narrow.call('POST', '/auth/password', { body: {}, headers: from(address) });
    for (let n = 0; n < 3; n++) expectUnauthenticated(await change());

    expectLimited(await change(), 3, 60);
    const wrongMethod = await narrow.call('GET', '/auth/password', { headers: from(address) });
    expectError(wrongMethod, 405, 'method_not_allowed');
  });

  it('has separate limits for registration and login', async () => {
    const address = newAddress();
    const signUp = () => narrow.call('POST', '/auth/register', { body: {}, headers: from(address) });
    for (let n = 0; n < 3; n++) expectError(await signUp(), 400, 'validation_failed');

    expectLimited(await signUp(), 3, 60);
    expect((await logIn(narrow, address, owner.email, owner.password)).status).toBe(200);
  });
});

describe('an account', () => {
  it('accepts 60 wrong passwords an hour from one address, and then rejects the right password there too', async () => {
    const person = await register(api.call);
    const address = newAddress();
    expect(await statusesOf(60, () => logIn(api, address, person.email))).toEqual(new Set([401]));

    expectLimited(await logIn(api, address, person.email, person.password), 60, 3_600);
    // The limit applies after the validation of the body, and to the address in any case.
    const faulty = await api.call('POST', '/auth/login', { body: { email: person.email }, headers: from(address) });
    expectError(faulty, 400, 'validation_failed');
    expectLimited(await logIn(api, address, person.email.toUpperCase()), 60, 3_600);
    expect((await logIn(api, address, owner.email, owner.password)).status).toBe(200);
    expect((await logIn(api, newAddress(), person.email, person.password)).status).toBe(200);
  });

  it('accepts 200 wrong passwords an hour in total; its owner can still log in from an earlier address', async () => {
    const person = await register(api.call);
    const home = newAddress();
    expect((await logIn(api, home, person.email, person.password)).status).toBe(200);
    for (let n = 0; n < 4; n++) {
      const address = newAddress();
      expect(await statusesOf(50, () => logIn(api, address, person.email))).toEqual(new Set([401]));
    }

    expectLimited(await logIn(api, newAddress(), person.email, person.password), 200, 3_600);
    expect((await logIn(api, home, person.email, person.password)).status).toBe(200);
    await letTimePass();
    expect((await logIn(api, newAddress(), person.email, person.password)).status).toBe(200);
  });

  it('has no limit for logins with the right password', async () => {
    const person = await register(api.call);
    const address = newAddress();
    const logInAgain = () => logIn(api, address, person.email, person.password);
    for (let n = 0; n < 4; n++) expect(await statusesOf(20, logInAgain)).toEqual(new Set([200]));
  });

  it('is limited even if it does not exist', async () => {
    const address = newAddress();
    expect(await statusesOf(60, () => logIn(api, address, 'no-one@example.com'))).toEqual(new Set([401]));

    expectLimited(await logIn(api, address, 'no-one@example.com'), 60, 3_600);
  });

  it('has one limit for the guesses at POST /auth/password and at the login together', async () => {
    const person = await register(api.call);
    const address = newAddress();
    const headers = from(address);
    const guess = (current_password: string) =>
      person.post('/auth/password', { current_password, new_password: 'another horse' }, { headers });
    expect(await statusesOf(40, () => guess('wrong'))).toEqual(new Set([401]));
    expect(await statusesOf(20, () => logIn(api, address, person.email))).toEqual(new Set([401]));

    expectLimited(await guess(person.password), 60, 3_600);
    expectLimited(await logIn(api, address, person.email, person.password), 60, 3_600);
    await submitJob(person, 'x', {});
  });

  it('cannot be identified in Redis', async () => {
    await logIn(api, newAddress(), owner.email);
    const redis = openRedis(world.redisUrl);
    const keys = await keysLike(redis, `${world.prefix}:limit:*`);
    redis.disconnect();

    expect(keys.some((key) => key.includes(':limit:login-account:'))).toBe(true);
    expect(keys.filter((key) => key.includes('@') || key.includes('owner'))).toEqual([]);
  });
});
