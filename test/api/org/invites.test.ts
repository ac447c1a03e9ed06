import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, HANG_MS, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError } from '../support.js';
import { ANY_TIME, accept, expire, fillInvites, hashOf, idOf, inviteToken, tokenOf, UNKNOWN_ID } from './team.js';

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
const revoke = (by: Person, id: string) => api.call('DELETE', `/org/invites/${id}`, { token: by.token });
const pending = async (by: Person) => (await by.get('/org/invites')).body.map(({ email }: { email: string }) => email);

describe('POST /org/invite', () => {
  it('creates a link for 72 hours; the database has only the hash of its token', async () => {
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
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await owner.post('/org/invite', body), 400, 'validation_failed', paths);
  });

  it('rejects the address of a member, in any case', async () => {
    const member = await addMember(world, api, owner.orgId, 'member');
    const body = { email: member.email.toUpperCase(), role: 'admin' };
    expectError(await owner.post('/org/invite', body), 409, 'conflict', ['email']);
  });

  it('replaces the pending invite of the same address, in this organization only', async () => {
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

  it('leaves one valid link of 10 simultaneous ones for an address', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => inviteToken(owner, 'at-once@example.com')));
    const statuses = await Promise.all(tokens.map(async (token) => (await look(token)).status));
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(404)]);
  });
});

describe('an organization', () => {
  it('has at most 1,000 pending invites; a new one may replace an invite of the same address', async () => {
    const person = await register(api.call);
    const last = await inviteToken(person, 'last@example.com');
    await fillInvites(world, person.orgId, await idOf(person), 999);
    const more = () => person.post('/org/invite', { email: 'more@example.com', role: 'member' });

    expectError(await more(), 409, 'conflict');
    await expire(world, await inviteToken(person, 'last@example.com'));
    expectError(await look(last), 404, 'invite_not_found');
    expect((await more()).status).toBe(201);
    expectError(await person.post('/org/invite', { email: 'last@example.com', role: 'member' }), 409, 'conflict');
  });

  // Each waiting request uses a connection of the pool, which has few.
  it('rejects a change of its members with 503 while another transaction locks them for too long', async () => {
    const person = await register(api.call);
    await world.db.$transaction(
      async (tx) => {
        await tx.$executeRaw`SELECT FROM organizations WHERE id = ${person.orgId}::uuid FOR NO KEY UPDATE`;
        const answer = await person.post('/org/invite', { email: 'held@example.com', role: 'member' });
        expectError(answer, 503, 'unavailable');
      },
      { timeout: HANG_MS },
    );
    expect(await inviteToken(person, 'held@example.com')).toMatch(/./);
  });
});

describe('GET /org/invites', () => {
  it('lists the invites that can still be accepted, newest first, page by page', async () => {
    const person = await register(api.call);
    const tokens: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) tokens.push(await inviteToken(person, `${name}@list.example`));
    await accept(api, tokens[1] ?? '');
    await expire(world, tokens[3] ?? '');

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
  it('revokes a pending invite; invites of others are not found', async () => {
    const token = await inviteToken(owner, 'revoked@example.com');
    const [{ id }] = (await owner.get('/org/invites')).body;
    const stranger = await register(api.call);
    expectError(await revoke(stranger, id), 404, 'not_found');

    const answer = await revoke(owner, id);

    expect([answer.status, answer.text]).toEqual([204, '']);
    expectError(await look(token), 404, 'invite_not_found');
    expectError(await accept(api, token), 404, 'invite_not_found');
    for (const one of [id, UNKNOWN_ID, 'nope']) expectError(await revoke(owner, one), 404, 'not_found');
    const [entry] = (await owner.get('/org/audit')).body;
    expect(entry).toMatchObject({ action: 'invite.revoked', target: { id, name: 'revoked@example.com' } });
  });

  it('cannot undo an acceptance', async () => {
    const token = await inviteToken(owner, 'in@example.com');
    const [{ id }] = (await owner.get('/org/invites')).body;
    await accept(api, token);

    expectError(await revoke(owner, id), 404, 'not_found');
    expectError(await look(token), 410, 'invite_consumed');
  });
});
