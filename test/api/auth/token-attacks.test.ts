import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { endpoints } from '@jobline/api/endpoints';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, letTimePass, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectUnauthenticated, newKey } from '../support.js';

const secret = 'the secret of this file, which has 32 bytes and more';

let world: World;
let api: TestApi;
let mallory: Person;
let victim: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { jwtSecret: secret } });
});
beforeEach(async () => {
  [mallory, victim] = [await register(api.call), await register(api.call)];
});
afterAll(() => world.end());

type Json = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string): Json => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const me = (token: string) => api.call('GET', '/auth/me', { token });

/** Signs a token as the service does, as if the secret had leaked, to test what the database still rejects. */
function forge(claims: Json, header: Json = {}, key: string | Buffer = secret): string {
  const input = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

describe('a session belongs to one user in one organization, whatever a token says', () => {
  it("rejects the session of another user, and another user's claims with one's own session", async () => {
    const [mine, theirs] = [claimsOf(mallory.token), claimsOf(victim.token)];
    for (const claims of [
      { ...mine, sid: theirs.sid },
      { ...theirs, sid: mine.sid },
      { ...mine, org: theirs.org },
      { ...mine, org: theirs.org, sid: theirs.sid },
      { ...theirs, sub: mine.sub },
    ]) {
      expectUnauthenticated(await me(forge(claims)));
    }
    expect((await me(forge(mine))).status).toBe(200);
  });

  it('rejects a session in another organization of the same user', async () => {
    const member = await addMember(world, api, victim.orgId, 'member');
    const own = await api.call('POST', '/auth/switch', {
      token: member.token,
      body: { org_id: (await member.get('/auth/me')).body.orgs.find(({ id }: Json) => id !== victim.orgId).id },
    });
    const [here, elsewhere] = [claimsOf(member.token), claimsOf(own.body.token)];
    expectUnauthenticated(await me(forge({ ...elsewhere, org: here.org })));
    expectUnauthenticated(await me(forge({ ...here, sid: elsewhere.sid })));
  });

  it('a role in the claims gives no right', async () => {
    const member = await addMember(world, api, victim.orgId, 'member');
    const token = forge({ ...claimsOf(member.token), role: 'owner' });
    expect((await api.call('GET', '/org/api-keys', { token })).status).toBe(403);
    expect((await me(token)).body.user.role).toBe('member');
  });
});

describe('the key that verifies a token never comes from the token', () => {
  it.each<[string, Json]>([
    ['an embedded key', { jwk: { kty: 'oct', k: Buffer.from('attacker').toString('base64url') } }],
    ['the address of one', { jku: 'https://evil.example.com/jwks.json' }],
    ['a certificate', { x5u: 'https://evil.example.com/cert.pem', x5c: ['AAAA'] }],
    ['the name of a file that is empty', { kid: '../../../../dev/null' }],
    ['a statement', { kid: "' UNION SELECT 'attacker' --" }],
  ])('%s', async (_what, header) => {
    for (const key of ['attacker', '', Buffer.alloc(32)]) {
      expectUnauthenticated(await me(forge(claimsOf(victim.token), header, key)));
    }
  });

  it.each(['none', 'NONE', 'nOnE', 'HS384', 'HS512', 'RS256', 'ES256', 'PS256', 'EdDSA', '', null, ['HS256'], 'hs256'])(
    'the algorithm %j',
    async (alg) => {
      const input = `${encode({ alg, typ: 'JWT' })}.${encode(claimsOf(victim.token))}`;
      const signed = createHmac('sha256', secret).update(input).digest('base64url');
      for (const signature of [signed, victim.token.split('.')[2], 'AA']) {
        expectUnauthenticated(await me(`${input}.${signature}`));
      }
      expectUnauthenticated(await api.call('GET', '/auth/me', { headers: { authorization: `Bearer ${input}.` } }));
    },
  );
});

describe('a token is read from one place only', () => {
  it.each<[string, string, Record<string, string>]>([
    ['no query', '/jobs?token=TOKEN', {}],
    ['no query of that name', '/jobs?access_token=TOKEN', {}],
    ['no cookie', '/jobs', { cookie: 'token=TOKEN; jwt=TOKEN; Authorization=Bearer TOKEN' }],
    ['no other header', '/jobs', { 'x-access-token': 'TOKEN', 'proxy-authorization': 'Bearer TOKEN' }],
    ['not the header of keys', '/jobs', { 'x-api-key': 'TOKEN' }],
    ['no other scheme', '/jobs', { authorization: 'JWT TOKEN' }],
    ['not two at once', '/jobs', { authorization: 'Bearer TOKEN, Bearer TOKEN' }],
  ])('%s', async (_what, path, headers) => {
    const fill = (text: string) => text.replaceAll('TOKEN', victim.token);
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
    expectUnauthenticated(await api.call('GET', fill(path), { headers: filled }));
  });

  it('does not accept an API key as a token, and a valid key does not compensate for an invalid token', async () => {
    const { key } = await newKey(victim);
    const { key: other } = await newKey(mallory);
    expectUnauthenticated(await me(key));
    for (const both of [
      { token: `${victim.token.slice(0, -2)}xx`, key },
      { token: victim.token, key: `${key.slice(0, -1)}_` },
      { token: victim.token, key: other },
    ]) {
      expectUnauthenticated(await api.call('GET', '/jobs', both));
    }
  });

  it('ignores the second of two Authorization headers', async () => {
    const bad = 'authorization: Bearer a.b.c\r\n';
    const good = `authorization: Bearer ${victim.token}\r\n`;
    expect(await statusOf(`${bad}${good}`)).toBe(401);
    expect(await statusOf(good)).toBe(200);
  });
});

describe('a token is rejected', () => {
  it('after the logout of its session', async () => {
    await victim.post('/auth/logout');
    expectUnauthenticated(await me(victim.token));
    expectUnauthenticated(await me(forge(claimsOf(victim.token))));
  });

  it('after a change of the password, except in the session that changed it', async () => {
    const login = { email: victim.email, password: victim.password };
    const stolen: string = (await api.call('POST', '/auth/login', { body: login })).body.token;
    expect((await me(stolen)).status).toBe(200);
    await victim.post('/auth/password', { current_password: victim.password, new_password: 'a better password' });
    expectUnauthenticated(await me(stolen));
    expect((await me(victim.token)).status).toBe(200);
  });

  it('after its user was removed, in every API process', async () => {
    const other = await world.api({ settings: { jwtSecret: secret } });
    const removed = await addMember(world, api, victim.orgId, 'admin');
    const { id } = (await removed.get('/auth/me')).body.user;
    expect((await other.call('GET', '/auth/me', { token: removed.token })).status).toBe(200);
    expect((await api.call('DELETE', `/org/members/${id}`, { token: victim.token })).status).toBe(204);
    letTimePass(5_000);
    expectUnauthenticated(await me(removed.token));
    expectUnauthenticated(await other.call('GET', '/auth/me', removed));
  });

  it('after it has expired, in every notation of the time', async () => {
    const claims = claimsOf(victim.token);
    const now = Math.floor(Date.now() / 1000);
    for (const exp of [now - 1, 0, -1, String(now + 3_600), null, [now + 3_600]]) {
      expectUnauthenticated(await me(forge({ ...claims, exp })));
    }
    // The session has its own expiry, so a longer lifetime of the token has no effect.
    await world.db.session.updateMany({ where: { id: String(claims.sid) }, data: { expiresAt: new Date(0) } });
    letTimePass(5_000);
    expectUnauthenticated(await me(forge({ ...claims, exp: now + 360_000 })));
  });
});

it('no endpoint accepts a token that is unsigned, expired or without a user', async () => {
  const claims = claimsOf(victim.token);
  const tokens = [
    `${encode({ alg: 'none' })}.${encode(claims)}.AA`,
    forge({ ...claims, exp: 1 }),
    forge(claims, {}, 'another secret'),
  ];
  const guarded = Object.values(endpoints).filter(({ auth }) => auth !== 'none');
  expect(guarded.length).toBeGreaterThan(40);
  for (const { method, path } of guarded) {
    const place = path.replace(/:\w+/g, '01a1fd31-e89a-720b-bc09-7f93e462e517');
    for (const token of tokens) expectUnauthenticated(await api.call(method.toUpperCase(), place, { token }));
  }
});

/** Sends the request by hand, because fetch would join the two headers. */
function statusOf(headers: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.once('data', (data) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]));
    });
    socket.once('error', reject);
    socket.write(`GET /auth/me HTTP/1.1\r\nhost: x\r\n${headers}\r\n`);
  });
}
