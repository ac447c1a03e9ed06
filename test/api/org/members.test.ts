import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError, newKey } from '../support.js';
import { ANY_TIME, expectEnded, expire, fillInvites, idOf, inviteToken, UNKNOWN_ID } from './team.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

const setRole = (by: Person, id: string, role: unknown) =>
  api.call('PATCH', `/org/members/${id}`, { token: by.token, body: { role } });
const remove = (by: Person, id: string, on = api) => on.call('DELETE', `/org/members/${id}`, { token: by.token });
const look = (token: string) => api.call('GET', `/invite?token=${token}`);
const ownersOf = (orgId: string) => world.db.membership.count({ where: { orgId, role: 'owner' } });
/** The audit log of an organization: action and name of the target, the last first. */
const auditOf = async (person: Person) =>
  (await person.get('/org/audit')).body.map(
    ({ action, target }: { action: string; target: { name: string } | null }) => `${action} ${target?.name}`,
  );

describe('GET /org/members', () => {
  it('lists members, the one who joined last first, page by page', async () => {
    const person = await register(api.call);
    const admin = await addMember(world, api, person.orgId, 'admin');
    const member = await addMember(world, api, person.orgId, 'member');

    const all = await admin.get('/org/members');
    expect(all.body).toEqual([
      { id: await idOf(member), email: member.email, role: 'member', joined_at: ANY_TIME, email_verified: false },
      { id: await idOf(admin), email: admin.email, role: 'admin', joined_at: ANY_TIME, email_verified: false },
      { id: await idOf(person), email: person.email, role: 'owner', joined_at: ANY_TIME, email_verified: false },
    ]);
    expect((await person.get('/org/members')).body).toEqual(all.body);

    const seen: unknown[] = [];
    for (let path: string | undefined = '/org/members?limit=2'; path; ) {
      const page = await person.get(path);
      seen.push(...page.body);
      path = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(all.body);
  });

  it.each(['limit=0', 'limit=x', 'cursor=x', 'role=owner'])('rejects %s', async (query) => {
    expectError(await owner.get(`/org/members?${query}`), 400, 'validation_failed', [query.split('=')[0] ?? '']);
  });
});

describe('PATCH /org/members/{id}', () => {
  it('gives a member another role, also that of an owner, with immediate effect', async () => {
    const person = await register(api.call);
    const member = await addMember(world, api, person.orgId, 'member');
    const id = await idOf(member);
    expectError(await member.get('/org/members'), 403, 'forbidden');

    for (const role of ['admin', 'owner']) {
      const answer = await setRole(person, id, role);
      expect([answer.status, answer.body]).toEqual([
        200,
        { id, email: member.email, role, joined_at: ANY_TIME, email_verified: false },
      ]);
    }
    expect((await member.get('/org/invites')).status).toBe(200);
    expect((await setRole(member, id, 'owner')).body.role).toBe('owner');
    expect((await setRole(member, await idOf(person), 'member')).status).toBe(200);
    expectError(await person.get('/org/members'), 403, 'forbidden');

    expect((await auditOf(member)).slice(0, 3)).toEqual([
      `member.role_changed ${person.email}`,
      `member.role_changed ${member.email}`,
      `member.role_changed ${member.email}`,
    ]);
  });

  it.each([
    [{}, ['role']],
    [{ role: 'god', more: 1 }, ['role', 'more']],
    [{ role: ['owner'] }, ['role']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    const answer = await api.call('PATCH', `/org/members/${UNKNOWN_ID}`, { token: owner.token, body });
    expectError(answer, 400, 'validation_failed', paths);
  });

  it('keeps the role of the last owner, no matter who asks', async () => {
    const person = await register(api.call);
    const me = await idOf(person);
    for (const role of ['admin', 'member']) expectError(await setRole(person, me, role), 403, 'last_owner');
    expect((await setRole(person, me, 'owner')).status).toBe(200);
  });

  it.each(['admin', 'member'])('revokes the invites of an owner who becomes %s, and none of others', async (role) => {
    const person = await register(api.call);
    const other = await addMember(world, api, person.orgId, 'owner');
    const [theirs, ours] = [
      await inviteToken(other, 'theirs@example.com', 'admin'),
      await inviteToken(person, 'ours@example.com'),
    ];
    expect((await setRole(person, await idOf(other), 'owner')).status).toBe(200);
    expect((await look(theirs)).status).toBe(200);

    expect((await setRole(person, await idOf(other), role)).status).toBe(200);

    expectError(await look(theirs), 404, 'invite_not_found');
    expect((await look(ours)).status).toBe(200);
    expect((await auditOf(person)).slice(0, 2).sort()).toEqual([
      'invite.revoked theirs@example.com',
      `member.role_changed ${other.email}`,
    ]);
  });
});

describe('DELETE /org/members/{id}', () => {
  it('removes a member: their sessions end in every process, but not those in other organizations', async () => {
    const elsewhere = await world.api();
    const member = await addMember(world, api, owner.orgId, 'member');
    const home = (await member.get('/auth/me')).body.orgs[1].id;
    const login = { email: member.email, password: member.password, org_id: home };
    const homeToken: string = (await api.call('POST', '/auth/login', { body: login })).body.token;
    const id = await idOf(member);
    expect((await elsewhere.call('GET', '/auth/me', { token: member.token })).status).toBe(200);

    const answer = await remove(owner, id);

    expect([answer.status, answer.text]).toEqual([204, '']);
    await expectEnded(member.token, { here: api, elsewhere });
    expect((await api.call('GET', '/auth/me', { token: homeToken })).body.orgs).toHaveLength(1);
    const back = { ...login, org_id: owner.orgId };
    expectError(await api.call('POST', '/auth/login', { body: back }), 401, 'invalid_credentials');
    expectError(await remove(owner, id), 404, 'not_found');
    expect((await auditOf(owner))[0]).toBe(`member.removed ${member.email}`);
  });

  it('revokes the invites that the member has issued, and none of others', async () => {
    const other = await addMember(world, api, owner.orgId, 'owner');
    const [theirs, ours] = [
      await inviteToken(other, 'theirs@example.com'),
      await inviteToken(owner, 'ours@example.com'),
    ];
    const late = await inviteToken(other, 'late@example.com');
    await expire(world, late);

    expect((await remove(owner, await idOf(other))).status).toBe(204);

    expectError(await look(theirs), 404, 'invite_not_found');
    expect((await look(ours)).status).toBe(200);
    expectError(await look(late), 410, 'invite_expired');
    expect((await auditOf(owner)).slice(0, 2).sort()).toEqual([
      'invite.revoked theirs@example.com',
      `member.removed ${other.email}`,
    ]);
  });

  it('removes a member who has issued very many invites, with an audit entry for each', async () => {
    const person = await register(api.call);
    const other = await addMember(world, api, person.orgId, 'owner');
    const id = await idOf(other);
    await fillInvites(world, person.orgId, id, 20_000);

    expect((await remove(person, id)).status).toBe(204);

    expect(await world.db.auditEntry.count({ where: { orgId: person.orgId, action: 'invite.revoked' } })).toBe(20_000);
  });

  it('keeps the API keys that the member created, and they can be listed by their creator', async () => {
    const admin = await addMember(world, api, owner.orgId, 'admin');
    const id = await idOf(admin);
    const [theirs] = [await newKey(admin, 'theirs'), await newKey(owner, 'ours')];

    expect((await remove(owner, id)).status).toBe(204);

    expect((await api.call('GET', '/jobs', { key: theirs.key })).status).toBe(200);
    const listed = (await owner.get(`/org/api-keys?created_by=${id}`)).body;
    expect(listed).toMatchObject([{ id: theirs.id, name: 'theirs', created_by: id }]);
    expect((await owner.get(`/org/api-keys?created_by=${UNKNOWN_ID}`)).body).toEqual([]);
    expectError(await owner.get('/org/api-keys?created_by=x'), 400, 'validation_failed', ['created_by']);
  });

  it('does not let an owner remove themselves, whether there are other owners or not', async () => {
    const person = await register(api.call);
    expectError(await remove(person, await idOf(person)), 403, 'cannot_remove_self');
    await addMember(world, api, person.orgId, 'owner');
    expectError(await remove(person, await idOf(person)), 403, 'cannot_remove_self');
  });
});

describe('the team of an organization', () => {
  it('is hidden from owners of other organizations, who get the same error for members and unknown ids', async () => {
    const member = await addMember(world, api, owner.orgId, 'member');
    const stranger = await register(api.call);
    const id = await idOf(member);

    for (const one of [id, UNKNOWN_ID, 'nope', id.toUpperCase()]) {
      expectError(await setRole(stranger, one, 'owner'), 404, 'not_found');
      expectError(await remove(stranger, one), 404, 'not_found');
    }
    expect((await stranger.get('/org/members')).text).not.toContain(member.email);
    expect((await member.get('/auth/me')).body.user.role).toBe('member');
  });
});

// Both are owners when their requests pass the role check; only the transaction can decide.
describe('two owners who demote or remove each other', () => {
  it('keep one owner after 20 simultaneous demotions', async () => {
    const one = await register(api.call);
    const two = await addMember(world, api, one.orgId, 'owner');
    const [idOne, idTwo] = [await idOf(one), await idOf(two)];

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? setRole(one, idTwo, 'member') : setRole(two, idOne, 'member'))),
    );

    expect(await ownersOf(one.orgId)).toBe(1);
    for (const answer of answers) if (answer.status !== 200) expect(answer.status, answer.text).toBe(403);
    const codes = new Set(answers.map(({ body }) => body.error?.code));
    expect([...codes].filter((code) => !['last_owner', 'forbidden', undefined].includes(code))).toEqual([]);
  });

  it('keep one owner after 20 simultaneous removals', async () => {
    const one = await register(api.call);
    const two = await addMember(world, api, one.orgId, 'owner');
    const [idOne, idTwo] = [await idOf(one), await idOf(two)];
    const other = await world.api();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? remove(one, idTwo, n % 3 ? api : other) : remove(two, idOne, api))),
    );

    expect(await ownersOf(one.orgId)).toBe(1);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const answer of answers) expect([204, 401, 403, 404], answer.text).toContain(answer.status);
  });

  it('are rejected if they are no longer owner, even if another process has cached the role', async () => {
    const one = await register(api.call);
    const two = await addMember(world, api, one.orgId, 'owner');
    const third = await idOf(await addMember(world, api, one.orgId, 'member'));
    const elsewhere = await world.api();
    const idOne = await idOf(one);
    // In the cache of the other process the second is still an owner.
    expect((await elsewhere.call('GET', '/org/members', { token: two.token })).status).toBe(200);

    expect((await setRole(one, await idOf(two), 'admin')).status).toBe(200);

    expectError(await remove(two, idOne, elsewhere), 403, 'last_owner');
    expectError(await remove(two, third, elsewhere), 403, 'forbidden');
    const invite = { email: 'late@example.com', role: 'admin' };
    expectError(await elsewhere.call('POST', '/org/invite', { token: two.token, body: invite }), 403, 'forbidden');
  });
});
