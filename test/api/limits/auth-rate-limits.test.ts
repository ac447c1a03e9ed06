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
  type World,
} from '../../harness/index.js';
import { expectError, expectUnauthenticated } from '../support.js';

let world: World;
let api: TestApi;
let narrow: TestApi;
let owner: Person;

const settings = { trustProxy: 1 };
let addresses = 0;
/** One that nobody else has. */
const newAddress = () => `192.0.2.${++addresses}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings });
  narrow = await world.api({ settings, limits: { loginPerMin: 3 } });
  owner = await register(api.call);
});
afterAll(() => world.end());

function logIn(at: TestApi, address: string, email: string, password = 'wrong'): Promise<Answered> {
  return at.call('POST', '/auth/login', { body: { email, password }, headers: from(address) });
}

/** The statuses of so many at once. */
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

/** As if the time of every budget in Redis were over. */
async function letTimePass(): Promise<void> {
  const redis = openRedis(world.redisUrl);
  const keys = await keysLike(redis, `${world.prefix}:limit:*-*`);
  expect(keys.length).toBeGreaterThan(0);
  await Promise.all(keys.map((key) => redis.del(key)));
  redis.disconnect();
}

describe('an address at a gate', () => {
  it('passes as often as it may in a minute, then is refused whatever it sends, and passes again', async () => {
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

  it('that is refused stops nobody else, and not the submissions of its own organization', async () => {
    const address = newAddress();
    for (let n = 0; n < 3; n++) await logIn(narrow, address, 'nobody@example.com');
    expectLimited(await logIn(narrow, address, 'nobody@example.com'), 3, 60);

    expect((await logIn(narrow, newAddress(), owner.email, owner.password)).status).toBe(200);
    const body = { type: 'x', payload: {} };
    const submitted = await narrow.call('POST', '/jobs', { token: owner.token, body, headers: from(address) });
    expect(submitted.status).toBe(202);
    expect((await narrow.call('GET', '/auth/me', { token: owner.token, headers: from(address) })).status).toBe(200);
  });

  it('is counted by all API processes together', async () => {
    const address = newAddress();
    const other = await world.api({ settings, limits: { loginPerMin: 3 } });
    for (const at of [narrow, other, narrow]) expect((await logIn(at, address, 'nobody@example.com')).status).toBe(401);

    expectLimited(await logIn(other, address, 'nobody@example.com'), 3, 60);
  });

  it('is its /64 with IPv6', async () => {
    for (const last of ['1', '2:2', 'ffff:ffff:ffff:ffff']) {
      const expanded = last.split(':').length === 4 ? `2001:db8:1:2:${last}` : `2001:db8:1:2::${last}`;
      expect((await logIn(narrow, expanded, 'nobody@example.com')).status).toBe(401);
    }

    expectLimited(await logIn(narrow, '2001:db8:1:2::9', 'nobody@example.com'), 3, 60);
    expect((await logIn(narrow, '2001:db8:1:3::9', 'nobody@example.com')).status).toBe(401);
  });

  it('shares ten times as much with the rest of its /48', async () => {
    const ofNetwork = (n: number) => `2001:db8:ffff:${n}::1`;
    for (let n = 0; n < 10; n++) {
      expect(await statusesOf(3, () => logIn(narrow, ofNetwork(n), 'nobody@example.com'))).toEqual(new Set([401]));
    }

    expectLimited(await logIn(narrow, ofNetwork(10), 'nobody@example.com'), 30, 60);
    expect((await logIn(narrow, '2001:db8:fffe::1', 'nobody@example.com')).status).toBe(401);
  });

  it('is refused before its credential is looked at, and after what the path does not take', async () => {
    const address = newAddress();
    const change = () => narrow.call('POST', '/auth/password', { body: {}, headers: from(address) });
    for (let n = 0; n < 3; n++) expectUnauthenticated(await change());

    expectLimited(await change(), 3, 60);
    const wrongMethod = await narrow.call('GET', '/auth/password', { headers: from(address) });
    expectError(wrongMethod, 405, 'method_not_allowed');
  });

  it('may register only so often, and log in all the same', async () => {
    const address = newAddress();
    const signUp = () => narrow.call('POST', '/auth/register', { body: {}, headers: from(address) });
    for (let n = 0; n < 3; n++) expectError(await signUp(), 400, 'validation_failed');

    expectLimited(await signUp(), 3, 60);
    expect((await logIn(narrow, address, owner.email, owner.password)).status).toBe(200);
  });
});

describe('an account', () => {
  it('is guessed at from one address 60 times an hour, and then also the right password is refused there', async () => {
    const person = await register(api.call);
    const address = newAddress();
    expect(await statusesOf(60, () => logIn(api, address, person.email))).toEqual(new Set([401]));

    expectLimited(await logIn(api, address, person.email, person.password), 60, 3_600);
    // After the rules of the body, and whatever the case of the address.
    const faulty = await api.call('POST', '/auth/login', { body: { email: person.email }, headers: from(address) });
    expectError(faulty, 400, 'validation_failed');
    expectLimited(await logIn(api, address, person.email.toUpperCase()), 60, 3_600);
    expect((await logIn(api, address, owner.email, owner.password)).status).toBe(200);
    expect((await logIn(api, newAddress(), person.email, person.password)).status).toBe(200);
  });

  it('is guessed at from everywhere 200 times an hour, and its owner comes in all the same from where they did before', async () => {
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

  it('of whoever knows the password is used as often as they like', async () => {
    const person = await register(api.call);
    const address = newAddress();
    const comeIn = () => logIn(api, address, person.email, person.password);
    for (let n = 0; n < 4; n++) expect(await statusesOf(20, comeIn)).toEqual(new Set([200]));
  });

  it('is limited where there is none, too', async () => {
    const address = newAddress();
    expect(await statusesOf(60, () => logIn(api, address, 'no-one@example.com'))).toEqual(new Set([401]));

    expectLimited(await logIn(api, address, 'no-one@example.com'), 60, 3_600);
  });

  it('is guessed at by way of POST /auth/password and the login together as often', async () => {
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

  it('cannot be read in Redis', async () => {
    await logIn(api, newAddress(), owner.email);
    const redis = openRedis(world.redisUrl);
    const keys = await keysLike(redis, `${world.prefix}:limit:*`);
    redis.disconnect();

    expect(keys.some((key) => key.includes(':limit:login-account:'))).toBe(true);
    expect(keys.filter((key) => key.includes('@') || key.includes('owner'))).toEqual([]);
  });
});
