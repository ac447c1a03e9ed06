import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError, expectUnauthenticated } from '../support.js';
import { duringSwitch } from './during-switch.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const signIn = async ({ email, password }: { email: string; password: string }): Promise<string> =>
  (await api.call('POST', '/auth/login', { body: { email, password } })).body.token;

describe('POST /auth/logout', () => {
  it('ends only this session, immediately', async () => {
    const [one, two] = [await signIn(person), await signIn(person)];
    expect((await api.call('GET', '/auth/me', { token: one })).status).toBe(200);

    const answer = await api.call('POST', '/auth/logout', { token: one });

    expect([answer.status, answer.text]).toEqual([204, '']);
    expectUnauthenticated(await api.call('GET', '/auth/me', { token: one }));
    expectUnauthenticated(await api.call('POST', '/auth/logout', { token: one }));
    expect((await api.call('GET', '/auth/me', { token: two })).status).toBe(200);
  });

  it('accepts an empty object as body', async () => {
    const answer = await api.call('POST', '/auth/logout', { token: await signIn(person), body: {} });
    expect(answer.status).toBe(204);
  });
});

describe('GET /auth/me', () => {
  it('returns the user, the organization and all organizations of the user, the one joined last first', async () => {
    const admin = await addMember(world, api, person.orgId, 'admin');
    const answer = await admin.get('/auth/me');

    expect(answer.body).toEqual({
      user: { id: expect.any(String), email: admin.email, role: 'admin' },
      org: { id: person.orgId, name: expect.any(String) },
      orgs: [
        { id: person.orgId, name: answer.body.org.name, role: 'admin' },
        { id: expect.any(String), name: expect.any(String), role: 'owner' },
      ],
    });
  });
});

describe('POST /auth/switch', () => {
  it('signs in to another organization of the user; the session of the request stays valid', async () => {
    const member = await addMember(world, api, person.orgId, 'member');
    const home = (await member.get('/auth/me')).body.orgs[1].id;

    const answer = await member.post('/auth/switch', { org_id: home });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: expect.any(String), email: member.email, role: 'owner' },
    });
    expect((await api.call('GET', '/auth/me', { token: answer.body.token })).body.org.id).toBe(home);
    expect((await member.get('/auth/me')).body.org.id).toBe(person.orgId);
  });

  it('never extends the session, no matter how often it is repeated', async () => {
    const end = new Date((Math.floor(Date.now() / 1000) + 60) * 1000);
    const user = await register(api.call);
    await world.db.session.updateMany({ where: { orgId: user.orgId }, data: { expiresAt: end } });

    let token = user.token;
    for (let n = 0; n < 3; n++) {
      token = (await api.call('POST', '/auth/switch', { token, body: { org_id: user.orgId } })).body.token;
    }

    const sessions = await world.db.session.findMany({ where: { orgId: user.orgId } });
    expect(sessions.map(({ expiresAt }) => expiresAt)).toEqual(Array(4).fill(end));
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.exp).toBe(end.getTime() / 1000);
  });

  it('has the same error for an organization of others and for an unknown one', async () => {
    const other = await register(api.call);
    for (const org_id of [other.orgId, '00000000-0000-0000-0000-000000000000']) {
      expectError(await person.post('/auth/switch', { org_id }), 404, 'not_found');
    }
  });

  it.each([
    [{}, ['org_id']],
    [{ org_id: 'nope', more: 1 }, ['org_id', 'more']],
    [{ org_id: 1 }, ['org_id']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await person.post('/auth/switch', body), 400, 'validation_failed', paths);
  });
});

describe('POST /auth/password', () => {
  it('replaces the password and ends every other session of the user, in every organization', async () => {
    const user = await addMember(world, api, person.orgId, 'member');
    const home = (await user.get('/auth/me')).body.orgs[1].id;
    const elsewhere: string = (await user.post('/auth/switch', { org_id: home })).body.token;
    const another = await signIn(user);
    for (const token of [elsewhere, another]) expect((await api.call('GET', '/auth/me', { token })).status).toBe(200);

    const body = { current_password: user.password, new_password: 'another password' };
    expect((await user.post('/auth/password', body)).status).toBe(204);

    expect((await user.get('/auth/me')).status).toBe(200);
    for (const token of [elsewhere, another]) expectUnauthenticated(await api.call('GET', '/auth/me', { token }));
    const old = { email: user.email, password: user.password };
    expectError(await api.call('POST', '/auth/login', { body: old }), 401, 'invalid_credentials');
    expect(await signIn({ email: user.email, password: 'another password' })).toEqual(expect.any(String));
  });

  it('rejects a wrong current password and changes nothing', async () => {
    const body = { current_password: 'wrong', new_password: 'another password' };
    expectError(await person.post('/auth/password', body), 401, 'invalid_credentials');
    expect(await signIn(person)).toEqual(expect.any(String));
  });

  it.each([
    [{}, ['current_password', 'new_password']],
    [{ current_password: 1, new_password: 'seven77', more: 1 }, ['current_password', 'new_password', 'more']],
    [{ current_password: 'x', new_password: 'x'.repeat(73) }, ['new_password']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await person.post('/auth/password', body), 400, 'validation_failed', paths);
  });

  // Both verified the same password; the second request must not overwrite the change of the first.
  it('accepts one of two simultaneous changes', async () => {
    const user = await register(api.call);
    const answers = await Promise.all(
      ['first choice', 'second choice'].map((new_password) =>
        user.post('/auth/password', { current_password: user.password, new_password }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
  });

  // A login that verified the old password just before the change must not stay valid.
  it('ends every session of the old password, also of simultaneous logins', async () => {
    const user = await register(api.call);
    const logins = Array.from({ length: 12 }, () =>
      api.call('POST', '/auth/login', { body: { email: user.email, password: user.password } }),
    );
    const change = await user.post('/auth/password', {
      current_password: user.password,
      new_password: 'another password',
    });
    expect(change.status).toBe(204);
    await Promise.all(logins);

    expect(await world.db.session.count({ where: { orgId: user.orgId } })).toBe(1);
  });

  // A stolen session must not stay valid by switching to another organization at that moment.
  it('ends the session that another one is being switched to', async () => {
    const user = await register(api.call);
    const change = { current_password: user.password, new_password: 'another password' };
    const stolen = await signIn(user);

    const answer = await duringSwitch(world, stolen, () => user.post('/auth/password', change));

    expect(answer.status).toBe(204);
    expect(await world.db.session.count({ where: { orgId: user.orgId } })).toBe(1);
    expect((await user.get('/auth/me')).status).toBe(200);
  });
});
