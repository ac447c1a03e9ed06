import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWorld, letTimePass, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError, expectUnauthenticated } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const secret = 'the secret of this file, which has 32 bytes and more';

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { jwtSecret: secret } });
  person = await register(api.call);
});
afterAll(() => world.end());

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const sign = (input: string, key = secret, hash = 'sha256') =>
  `${input}.${createHmac(hash, key).update(input).digest('base64url')}`;
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const me = (token: string) => api.call('GET', '/auth/me', { token });
const hs256 = { alg: 'HS256', typ: 'JWT' };

describe('a session token', () => {
  it('is HS256 and contains exactly sub, org, role, sid, iat and exp', () => {
    const { body } = { body: claimsOf(person.token) };
    expect(Object.keys(body).sort()).toEqual(['exp', 'iat', 'org', 'role', 'sid', 'sub']);
    expect(body).toMatchObject({ org: person.orgId, role: 'owner', exp: body.iat + 3600 });
    expect(JSON.parse(Buffer.from(person.token.split('.')[0] ?? '', 'base64url').toString()).alg).toBe('HS256');
  });

  it('is accepted if the test signs it with the same claims', async () => {
    expect((await me(sign(`${encode(hs256)}.${encode(claimsOf(person.token))}`))).status).toBe(200);
  });

  it.each<[string, (claims: Record<string, unknown>) => string]>([
    ['with algorithm none', (claims) => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`],
    [
      'with algorithm None and the old signature',
      (claims) => `${encode({ alg: 'None' })}.${encode(claims)}.${person.token.split('.')[2]}`,
    ],
    [
      'with another HMAC',
      (claims) => sign(`${encode({ alg: 'HS512', typ: 'JWT' })}.${encode(claims)}`, secret, 'sha512'),
    ],
    ['with an RSA signature', rsaSigned],
    [
      'signed with another secret',
      (claims) => sign(`${encode(hs256)}.${encode(claims)}`, 'another secret of at least 32 bytes'),
    ],
    ['signed with an empty secret', (claims) => sign(`${encode(hs256)}.${encode(claims)}`, '')],
    [
      'edited',
      (claims) => `${encode(hs256)}.${encode({ ...claims, role: 'owner', exp: 9e9 })}.${person.token.split('.')[2]}`,
    ],
    ['expired', (claims) => sign(`${encode(hs256)}.${encode({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 })}`)],
    [
      'not valid yet',
      (claims) => sign(`${encode(hs256)}.${encode({ ...claims, nbf: Math.floor(Date.now() / 1000) + 60 })}`),
    ],
    ['without an end', ({ exp: _, ...claims }) => sign(`${encode(hs256)}.${encode(claims)}`)],
    ['without a session', ({ sid: _, ...claims }) => sign(`${encode(hs256)}.${encode(claims)}`)],
    ['with a session that is no UUID', (claims) => sign(`${encode(hs256)}.${encode({ ...claims, sid: "' OR 1=1" })}`)],
    ['with a session that is no text', (claims) => sign(`${encode(hs256)}.${encode({ ...claims, sid: { $ne: '' } })}`)],
    ['with a role that there is not', (claims) => sign(`${encode(hs256)}.${encode({ ...claims, role: 'root' })}`)],
    [
      'of another organization',
      (claims) => sign(`${encode(hs256)}.${encode({ ...claims, org: '01a1fd31-e89a-720b-bc09-7f93e462e517' })}`),
    ],
    [
      'of another user',
      (claims) => sign(`${encode(hs256)}.${encode({ ...claims, sub: '01a1fd31-e89a-720b-bc09-7f93e462e517' })}`),
    ],
    [
      'of a session that never was',
      (claims) => sign(`${encode(hs256)}.${encode({ ...claims, sid: '01a1fd31-e89a-720b-bc09-7f93e462e517' })}`),
    ],
    ['whose claims are not JSON', () => sign(`${encode(hs256)}.${encode('not json')}`)],
    ['whose claims are null', () => sign(`${encode(hs256)}.${encode('null')}`)],
    ['whose claims are a text', () => sign(`${encode({ alg: 'HS256' })}.${encode('"text"')}`)],
    ['whose header is not JSON', (claims) => sign(`${encode('not json')}.${encode(claims)}`)],
    ['cut short', () => person.token.slice(0, -1)],
    ['with something behind it', () => `${person.token}.x`],
  ])('%s is rejected', async (_what, forge) => {
    expectUnauthenticated(await me(forge(claimsOf(person.token))));
  });

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Bearer a.b.c',
    'Bearer null',
    'Basic YTpi',
    'token',
    '',
    `Bearer ${'x'.repeat(6_000)}`,
  ])('is not accepted in the form Authorization: %.20s', async (authorization) => {
    expectUnauthenticated(await api.call('GET', '/jobs', { headers: { authorization } }));
  });

  it('is accepted with Bearer in any case', async () => {
    const answer = await api.call('GET', '/jobs', { headers: { authorization: `bearer ${person.token}` } });
    expect(answer.status).toBe(200);
  });

  it('expires at its time, even if it was used shortly before', async () => {
    const { token } = await register(api.call);
    expect((await me(token)).status).toBe(200);

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      expectUnauthenticated(await me(token));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the session state in the database', () => {
  it("ends a removed member's session and a session closed by another process within five seconds", async () => {
    const other = await world.api({ settings: { jwtSecret: secret } });
    const [removed, loggedOut] = [await addMember(world, api, person.orgId, 'admin'), await register(api.call)];
    for (const { token } of [removed, loggedOut]) expect((await me(token)).status).toBe(200);

    await world.db.membership.deleteMany({ where: { orgId: person.orgId, role: 'admin' } });
    await other.call('POST', '/auth/logout', { token: loggedOut.token });
    letTimePass(5_000);

    for (const { token } of [removed, loggedOut]) expectUnauthenticated(await me(token));
  });

  it('changes what a role allows within five seconds, whatever the token says', async () => {
    const admin = await addMember(world, api, person.orgId, 'admin');
    expect((await admin.get('/org/api-keys')).status).toBe(200);

    await world.db.membership.updateMany({ where: { orgId: person.orgId, role: 'admin' }, data: { role: 'member' } });
    letTimePass(5_000);

    expectError(await admin.get('/org/api-keys'), 403, 'forbidden');
  });

  it('is read once for many requests at the same time', async () => {
    const { token } = await register(api.call);
    const answers = await Promise.all(Array.from({ length: 100 }, () => me(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

/** The classic confusion: a verifier that trusts the token's algorithm would use the secret as a public key. */
function rsaSigned(claims: Record<string, unknown>): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const input = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${input}.${createSign('sha256').update(input).sign(privateKey).toString('base64url')}`;
}
