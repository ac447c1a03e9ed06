import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, expectUnauthenticated } from '../support.js';

let world: World;
let wide: TestApi;
let narrow: TestApi;
let owner: Person;

let addresses = 0;
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` });

beforeAll(async () => {
  world = await createWorld();
  const settings = { trustProxy: 1 };
  wide = await world.api({ settings });
  narrow = await world.api({ settings, limits: { loginPerMin: 3 } });
  owner = await register(wide.call);
  // Until it is connected to Redis, a process counts alone, with a smaller limit.
  await until('the narrow API to count in Redis', async () => {
    const headers = newAddress();
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) {
      const body = { email: `unknown${addresses}@example.com` };
      statuses.push((await narrow.call('POST', '/auth/forgot', { body, headers })).status);
    }
    return statuses.join() === '202,202,202,429';
  });
});
afterAll(() => world.end());

const limited = (answer: Answered) => expectError(answer, 429, 'rate_limited');

/** Creates an invite. Returns its token. */
async function invite(email: string): Promise<string> {
  const made = await owner.post('/org/invite', { email, role: 'member' }, { headers: newAddress() });
  expect(made.status, made.text).toBe(201);
  return new URL(made.body.invite_url).searchParams.get('token') ?? '';
}

it('requests for password links and their uses are limited per address, and logins stay possible', async () => {
  const headers = newAddress();
  const forgot = () => narrow.call('POST', '/auth/forgot', { body: { email: 'unknown@example.com' }, headers });
  const reset = () => narrow.call('POST', '/auth/reset', { body: { token: 'x', password: 'a new one' }, headers });
  expect((await forgot()).status).toBe(202);
  expectError(await reset(), 404, 'not_found');
  expect((await forgot()).status).toBe(202);

  limited(await forgot());
  limited(await reset());
  const body = { email: owner.email, password: owner.password };
  expect((await narrow.call('POST', '/auth/login', { body, headers })).status).toBe(200);
});

it('one account is sent at most 60 password links an hour from one address', async () => {
  const headers = newAddress();
  const forgot = (email: string) => wide.call('POST', '/auth/forgot', { body: { email }, headers });
  for (let n = 0; n < 60; n++) expect((await forgot('someone@example.com')).status).toBe(202);

  limited(await forgot('someone@example.com'));
  expect((await forgot('another@example.com')).status).toBe(202);
});

it('creating and viewing invites is limited per address, before the credential is checked', async () => {
  const headers = newAddress();
  const look = () => narrow.call('GET', '/invite?token=x', { headers });
  const make = () => narrow.call('POST', '/org/invite', { body: {}, headers });
  expectError(await look(), 404, 'invite_not_found');
  expectError(await look(), 404, 'invite_not_found');
  expectUnauthenticated(await make());

  limited(await look());
  limited(await make());
});

it('password guesses through an invite count together with those at the login', async () => {
  const person = await register(wide.call);
  const headers = newAddress();
  for (let n = 0; n < 60; n++) {
    // A new invite does not reset the limit of the account.
    const token = n % 20 === 0 ? await invite(person.email) : undefined;
    const answer = token
      ? await wide.call('POST', '/invite/accept', { body: { token, password: 'a wrong one' }, headers })
      : await wide.call('POST', '/auth/login', { body: { email: person.email, password: 'wrong' }, headers });
    expectError(answer, 401, 'invalid_credentials');
  }

  const accept = { token: await invite(person.email), password: person.password };
  limited(await wide.call('POST', '/invite/accept', { body: accept, headers }));
  const login = { email: person.email, password: person.password };
  limited(await wide.call('POST', '/auth/login', { body: login, headers }));
  expect((await wide.call('POST', '/invite/accept', { body: accept, headers: newAddress() })).status).toBe(200);
});

it('an email address is sent at most 60 invites an hour from one client address', async () => {
  const member = await addMember(world, wide, owner.orgId, 'member');
  const headers = newAddress();
  const body = { email: 'invited@example.com', role: 'member' };
  for (let n = 0; n < 60; n++) expect((await owner.post('/org/invite', body, { headers })).status).toBe(201);

  limited(await owner.post('/org/invite', body, { headers }));
  expectError(await owner.post('/org/invite', { ...body, role: 'owner' }, { headers }), 400, 'validation_failed');
  expectError(await member.post('/org/invite', body, { headers }), 403, 'forbidden');
});
