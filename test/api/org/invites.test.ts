import { createHash } from 'node:crypto';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { addMember, expectError, expectUnauthenticated, newKey } from '../support.js';
import { ANY_TIME, accept, idOf, inviteToken, NOBODY, tokenOf } from './team.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { publicUrl: 'https://jobs.example.com' } });
  owner = await register(api.call);
});
afterAll(() => world.end());

const HOUR_MS = 3_600_000;
const look = (token: string) => api.call('GET', `/invite?token=${token}`);
const login = (email: string, password: string) => api.call('POST', '/auth/login', { body: { email, password } });
const revoke = (by: Person, id: string) => api.call('DELETE', `/org/invites/${id}`, { token: by.token });
const pending = async (by: Person) => (await by.get('/org/invites')).body.map(({ email }: { email: string }) => email);
const hashOf = (token: string) => Uint8Array.from(createHash('sha256').update(token).digest());
const expire = (token: string, ms = 1) =>
  world.db.invite.update({ where: { tokenHash: hashOf(token) }, data: { expiresAt: new Date(Date.now() - ms) } });

describe('POST /org/invite', () => {
  it('makes a link for 72 hours, of whose token the database has only the hash', async () => {
    const answer = await owner.post('/org/invite', { email: ' Ada@Example.COM ', role: 'admin' });

    expect(answer.status).toBe(201);
    const token = tokenOf(answer);
    expect(answer.body).toEqual({
      invite_url: `https://jobs.example.com/join?token=${token}`,
      email: 'ada@example.com',
      expires_at: ANY_TIME,
    });
    expect(token).toMatch(/^[\w-]{43}$/);
    const row = await world.db.invite.findFirstOrThrow({ where: { email: 'ada@example.com' } });
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(72 * HOUR_MS);
    expect(row.expiresAt.toISOString()).toBe(answer.body.expires_at);
    expect(Uint8Array.from(row.tokenHash)).toEqual(hashOf(token));
    expect((await owner.get('/org/invites')).text).not.toContain(token);
    expect((await owner.get('/org/audit')).text).not.toContain(token);
  });

  it.each([
    [{}, ['email', 'role']],
    [{ email: 'nope', role: 'owner', more: 1 }, ['email', 'role', 'more']],
    [{ email: 'a@b.co', role: 'ADMIN' }, ['role']],
    [{ email: { $gt: '' }, role: ['admin'] }, ['email', 'role']],
    [{ email: 'a@b.co\r\nBcc: x@y.zz', role: 'member' }, ['email']],
  ])('refuses %j and names every fault', async (body, paths) => {
    expectError(await owner.post('/org/invite', body), 400, 'validation_failed', paths);
  });

  it('refuses the address of a member, in any case', async () => {
    const member = await addMember(world, api, owner.orgId, 'member');
    const body = { email: member.email.toUpperCase(), role: 'admin' };
    expectError(await owner.post('/org/invite', body), 409, 'conflict', ['email']);
  });

  it('puts a new invite in the place of the pending one, of this organization alone', async () => {
    const stranger = await register(api.call);
    const theirs = await inviteToken(stranger, 'twice@example.com');
    const first = await inviteToken(owner, 'twice@example.com', 'admin');
    const second = await inviteToken(owner, 'twice@example.com', 'member');

    expectError(await look(first), 404, 'invite_not_found');
    expectError(await accept(api, first), 404, 'invite_not_found');
    expect((await look(theirs)).status).toBe(200);
    expect((await pending(owner)).filter((email: string) => email === 'twice@example.com')).toHaveLength(1);
    expect((await accept(api, second)).body.user.role).toBe('member');
  });

  it('leaves one link of 10 simultaneous ones for an address', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => inviteToken(owner, 'at-once@example.com')));
    const statuses = await Promise.all(tokens.map(async (token) => (await look(token)).status));
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(404)]);
  });
});

describe('GET /org/invites', () => {
  it('lists what can still be accepted, newest first, page by page', async () => {
    const person = await register(api.call);
    const tokens: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) tokens.push(await inviteToken(person, `${name}@list.example`));
    await accept(api, tokens[1] ?? '');
    await expire(tokens[3] ?? '');

    const all = await person.get('/org/invites');
    expect(all.body.map(({ email }: { email: string }) => email[0])).toEqual(['e', 'c', 'a']);
    expect(all.body[0]).toEqual({
      id: expect.any(String),
      email: 'e@list.example',
      role: 'member',
      created_at: ANY_TIME,
      expires_at: ANY_TIME,
      invited_by: await idOf(person),
    });
    const seen: unknown[] = [];
    for (let path: string | undefined = '/org/invites?limit=2'; path; ) {
      const page = await person.get(path);
      seen.push(...page.body);
      path = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(all.body);
    expectError(await person.get('/org/invites?limit=0&cursor=x'), 400, 'validation_failed', ['limit', 'cursor']);
  });
});

describe('DELETE /org/invites/{id}', () => {
  it('revokes a pending invite; others are as if they never were', async () => {
    const token = await inviteToken(owner, 'revoked@example.com');
    const [{ id }] = (await owner.get('/org/invites')).body;
    const stranger = await register(api.call);
    expectError(await revoke(stranger, id), 404, 'not_found');

    const answer = await revoke(owner, id);

    expect([answer.status, answer.text]).toEqual([204, '']);
    expectError(await look(token), 404, 'invite_not_found');
    expectError(await accept(api, token), 404, 'invite_not_found');
    for (const one of [id, NOBODY, 'nope']) expectError(await revoke(owner, one), 404, 'not_found');
    const [told] = (await owner.get('/org/audit')).body;
    expect(told).toMatchObject({ action: 'invite.revoked', target: { id, name: 'revoked@example.com' } });
  });

  it('cannot undo an acceptance', async () => {
    const token = await inviteToken(owner, 'in@example.com');
    const [{ id }] = (await owner.get('/org/invites')).body;
    await accept(api, token);

    expectError(await revoke(owner, id), 404, 'not_found');
    expectError(await look(token), 410, 'invite_consumed');
  });
});

describe('the right to invite', () => {
  it('is with owners alone', async () => {
    const admin = await addMember(world, api, owner.orgId, 'admin');
    const member = await addMember(world, api, owner.orgId, 'member');
    const { key } = await newKey(owner);
    const body = { email: 'x@example.com', role: 'member' };

    for (const person of [admin, member]) {
      expectError(await person.post('/org/invite', body), 403, 'forbidden');
      expectError(await person.get('/org/invites'), 403, 'forbidden');
      expectError(await revoke(person, NOBODY), 403, 'forbidden');
    }
    for (const options of [{}, { key }]) {
      expectUnauthenticated(await api.call('POST', '/org/invite', { ...options, body }));
      expectUnauthenticated(await api.call('GET', '/org/invites', options));
      expectUnauthenticated(await api.call('DELETE', `/org/invites/${NOBODY}`, options));
    }
  });
});

describe('GET /invite', () => {
  it('tells whom the link is for and where it leads, and no more', async () => {
    const token = await inviteToken(owner, 'look@example.com');
    const answer = await look(token);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      email: 'look@example.com',
      org_name: expect.stringMatching(/^Org /),
      expires_at: ANY_TIME,
    });
  });

  it.each(['', '?token=', '?token=a&token=b', '?tokens=a', '?token=a&more=1'])('refuses /invite%s', async (query) => {
    expectError(await api.call('GET', `/invite${query}`), 400, 'validation_failed');
  });

  it.each(['nope', '%00', "'or'1'='1", 'x'.repeat(43), 'x'.repeat(1000)])('knows no invite of %.20j', async (token) => {
    expectError(await look(token), 404, 'invite_not_found');
  });
});

describe('POST /invite/accept', () => {
  it('makes the account, the membership and a session', async () => {
    const token = await inviteToken(owner, 'new@example.com', 'admin');

    const answer = await accept(api, token, 'chosen by me');

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: expect.any(String), email: 'new@example.com', role: 'admin' },
    });
    const me = await api.call('GET', '/auth/me', { token: answer.body.token });
    expect(me.body).toMatchObject({ user: answer.body.user, org: { id: owner.orgId } });
    expect((await login('new@example.com', 'chosen by me')).body.user.id).toBe(answer.body.user.id);
    const [told] = (await owner.get('/org/audit?action=invite.accepted')).body;
    expect(told).toMatchObject({ actor: { email: 'new@example.com' }, details: { role: 'admin' } });
  });

  it.each([
    [{}, ['token', 'password']],
    [{ token: 1, password: 2, more: 3 }, ['token', 'password', 'more']],
    [{ token: 'x', password: 'seven77' }, ['password']],
    [{ token: 'x', password: '€'.repeat(25) }, ['password']],
  ])('refuses %j and names every fault', async (body, paths) => {
    expectError(await api.call('POST', '/invite/accept', { body }), 400, 'validation_failed', paths);
  });

  it('refuses a link that is unknown, expired or used, and each says so', async () => {
    const [late, used] = [await inviteToken(owner, 'late@example.com'), await inviteToken(owner, 'used@example.com')];
    await expire(late);
    expect((await accept(api, used)).status).toBe(200);
    const refused = [
      [NOBODY, 404, 'invite_not_found'],
      [late, 410, 'invite_expired'],
      [used, 410, 'invite_consumed'],
    ] as const;
    for (const [token, status, code] of refused) {
      expectError(await look(token), status, code);
      expectError(await accept(api, token), status, code);
    }
    await expire(used);
    expectError(await accept(api, used), 410, 'invite_consumed');
    expect(await world.db.user.count({ where: { email: 'late@example.com' } })).toBe(0);
  });

  // A hash of cost 14 takes a second or so: ten of them one after the other would show.
  it('spends no password hash on a bad token', async () => {
    const dear = await world.api({ settings: { passwordCost: 14 } });
    const startedAt = performance.now();
    for (let n = 0; n < 10; n++) await accept(dear, `unknown-${n}`);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('of 50 simultaneous acceptances lets one win, and the others find it consumed', async () => {
    const token = await inviteToken(owner, 'fifty@example.com');

    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => accept(api, token, `password ${n}`)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const answer of answers.filter((_, n) => n !== winner)) expectError(answer, 410, 'invite_consumed');
    expect((await login('fifty@example.com', `password ${winner}`)).status).toBe(200);
    expect(await world.db.membership.count({ where: { user: { email: 'fifty@example.com' } } })).toBe(1);
  });
});

describe('an invite for an address that has an account', () => {
  it('is accepted with the password of the account, which stays', async () => {
    const known = await register(api.call);
    const token = await inviteToken(owner, known.email);

    const wrong = await accept(api, token, 'a password of my own');
    expectError(wrong, 401, 'invalid_credentials');
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
    expect((await look(token)).status).toBe(200);

    const answer = await accept(api, token, known.password);
    expect(answer.body.user).toEqual({ id: await idOf(known), email: known.email, role: 'member' });
    expect((await known.get('/auth/me')).body.orgs).toHaveLength(2);
    expect((await login(known.email, known.password)).status).toBe(200);
    expectError(await login(known.email, 'a password of my own'), 401, 'invalid_credentials');
  });

  it('is asked for that password too when the account is registered at the same moment', async () => {
    for (let n = 0; n < 6; n++) {
      const email = `racing-${n}@example.com`;
      const token = await inviteToken(owner, email);
      const account = { org_name: 'Racing', email, password: 'of the account' };
      const [registered, accepted] = await Promise.all([
        api.call('POST', '/auth/register', { body: account }),
        accept(api, token, 'of the invite'),
      ]);

      // Whoever comes first makes the account; the other does not touch it.
      expect([registered.status, accepted.status].sort()).toEqual(registered.status === 201 ? [201, 401] : [200, 409]);
      expect((await login(email, registered.status === 201 ? 'of the account' : 'of the invite')).status).toBe(200);
    }
  });

  // Held up between the look at the account and the acceptance: the account appears in that gap, and must not be touched.
  it('notices an account that was made after it had looked for one', async () => {
    const slow = await world.api({ settings: { passwordCost: 13 } });
    const token = await inviteToken(owner, 'gap@example.com');
    const accepting = accept(slow, token, 'of the invite');
    await slow.call('GET', `/invite?token=${token}`);
    const id = newId();
    const passwordHash = '$2b$04$abcdefghijklmnopqrstuuxgOJRzZRsvI2lFMpwR0eBQzF5wCk9Ku';
    await world.db.user.create({ data: { id, email: 'gap@example.com', passwordHash } });

    expectError(await accepting, 401, 'invalid_credentials');

    expect((await world.db.user.findUniqueOrThrow({ where: { id } })).passwordHash).toBe(passwordHash);
    expect((await look(token)).status).toBe(200);
  });

  it('keeps the role of whoever became a member meanwhile', async () => {
    const known = await register(api.call);
    const token = await inviteToken(owner, known.email, 'member');
    await world.db.membership.create({ data: { orgId: owner.orgId, userId: await idOf(known), role: 'admin' } });

    expect((await accept(api, token, known.password)).body.user.role).toBe('admin');
  });
});

it('an invite is deleted a month after its end, so that its holder is told for so long what became of it', async () => {
  const day = 24 * HOUR_MS;
  const [kept, gone] = [await inviteToken(owner, 'kept@example.com'), await inviteToken(owner, 'gone@example.com')];
  await expire(kept, 29 * day);
  await expire(gone, 31 * day);

  await world.worker();
  await until('the old invite to go', async () => (await look(gone)).status === 404);

  expectError(await look(kept), 410, 'invite_expired');
});
