import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  type OwnRedis,
  type Person,
  register,
  startOwnRedis,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let redis: OwnRedis;
let apis: [TestApi, TestApi];
let owner: Person;

const limits = { submitPerS: 20, sendPerMin: 3, loginPerMin: 8 };
const JOB = { type: 'x', payload: {} };

beforeAll(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  const options = { redisUrl: redis.url, settings: { trustProxy: 1 }, limits };
  apis = [await world.api(options), await world.api(options)];
  owner = await register(apis[0].call);
});
afterAll(async () => {
  await world.end();
  await redis.end();
});

const logIn = ({ call }: TestApi, address: string): Promise<Answered> =>
  call('POST', '/auth/login', {
    body: { email: owner.email, password: owner.password },
    headers: { 'x-forwarded-for': address },
  });
const submit = ({ call }: TestApi) => call('POST', '/jobs', { token: owner.token, body: JOB });

/** Number of accepted requests before one is limited. The test would time out if requests waited for Redis. */
async function countAccepted(ask: () => Promise<Answered>): Promise<number> {
  for (let count = 0; ; count++) {
    const answer = await ask();
    if (answer.status === 429) return count;
    expect(answer.status).toBeLessThan(300);
  }
}

let used = 9;

function loginsFromNewAddress(api: TestApi): Promise<number> {
  const address = `192.0.2.${++used}`;
  return countAccepted(() => logIn(api, address));
}

it('without Redis submissions keep their rate and auth limits are stricter, until Redis is back', async () => {
  for (const api of apis) await until('Redis to be used', async () => (await loginsFromNewAddress(api)) === 8);

  await redis.server.stop();
  for (const api of apis) {
    await until('the outage to be noticed', async () => (await loginsFromNewAddress(api)) === 2);
  }
  expect(await countAccepted(() => logIn(apis[1], '192.0.2.2'))).toBe(2);
  expectError(await logIn(apis[1], '192.0.2.2'), 429, 'rate_limited');
  const sms = { to: '+254711000111', message: 'hi' };
  expect(await countAccepted(() => apis[0].call('POST', '/sms/send', { token: owner.token, body: sms }))).toBe(3);
  for (const api of apis) {
    expect((await submit(api)).status).toBe(202);
    const flood = await Promise.all(Array.from({ length: 500 }, () => submit(api)));
    expect(flood.some(({ status }) => status === 429)).toBe(true);
    await until('submissions to be accepted again', async () => (await submit(api)).status === 202);
  }

  await redis.server.start();
  for (const api of apis) {
    await until('the budget to be complete again', async () => (await loginsFromNewAddress(api)) === 8);
  }
  const address = '198.51.100.1';
  for (let n = 0; n < 8; n++) expect((await logIn(apis[n % 2 ? 1 : 0], address)).status).toBe(200);
  for (const api of apis) expectError(await logIn(api, address), 429, 'rate_limited');
});
