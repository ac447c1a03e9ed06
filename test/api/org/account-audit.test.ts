import type { Schemas } from '@jobline/client';
import type { AuditAction } from '@jobline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { addMember, expectError } from '../support.js';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

const audit = async (person: Person, query = ''): Promise<Schemas['AuditEntry'][]> =>
  (await person.get(`/org/audit${query}`)).body;
const actions = (entries: Schemas['AuditEntry'][]) => entries.map(({ action }) => action);
const logIn = (person: Person, more: Record<string, unknown> = {}) =>
  api.call('POST', '/auth/login', { body: { email: person.email, password: person.password, ...more } });

describe('the audit log of an account', () => {
  it('has the sessions: logins, switches, logouts and new passwords', async () => {
    const person = await register(api.call);
    const elsewhere = await register(api.call);
    const { id: userId } = (await person.get('/auth/me')).body.user;
    await world.db.membership.create({ data: { orgId: elsewhere.orgId, userId, role: 'member' } });
    const { token } = (await logIn(person, { org_id: person.orgId })).body;
    expect((await person.post('/auth/switch', { org_id: elsewhere.orgId })).status).toBe(200);
    const next = 'another good password';
    const change = { current_password: person.password, new_password: next };
    expect((await api.call('POST', '/auth/password', { token, body: change })).status).toBe(204);
    expect((await api.call('POST', '/auth/logout', { token })).status).toBe(204);

    const again = await logIn({ ...person, password: next }, { org_id: person.orgId });
    const here = await audit({ ...person, get: (path) => api.call('GET', path, { token: again.body.token }) });
    expect(actions(here).slice(0, -1)).toEqual(['login.succeeded', 'logout', 'password.changed', 'login.succeeded']);
    const there = await audit(elsewhere);
    expect(actions(there).slice(0, -1)).toEqual(['password.changed', 'session.switched']);
    expect(there[0]?.actor).toEqual({ id: userId, email: person.email });
    expect(JSON.stringify([here, there])).not.toMatch(/password":|correct horse|another good/);
  });

  it('has failed logins to known accounts, at most ten an hour', async () => {
    const person = await register(api.call);
    const other = await register(api.call);
    await logIn(person, { org_id: other.orgId });
    const failures = () => audit(person, '?action=login.failed');
    for (let n = 1; n <= 13; n++) {
      expectError(await logIn(person, { password: 'wrong' }), 401, 'invalid_credentials');
      await until('the entry of the failure', async () => (await failures()).length === Math.min(n, 10));
    }
    await logIn({ ...person, email: 'unknown@example.com' });

    await logIn(other, { password: 'wrong' });
    await until('the next entry', async () => (await audit(other, '?action=login.failed')).length === 1);
    const entries = await failures();
    expect(entries).toHaveLength(10);
    const target = { id: (await person.get('/auth/me')).body.user.id, name: person.email };
    expect(entries[0]).toMatchObject({ actor: null, target, ip: '127.0.0.1', details: {} });
  });

  it('has an entry in each organization of the account, with the IP address only in that of the login', async () => {
    const home = await register(api.call);
    const member = await addMember(world, api, home.orgId, 'member');
    const { body: me } = await member.get('/auth/me');
    const first = me.orgs.find(({ id }: { id: string }) => id !== home.orgId).id;
    const entriesOf = async (action: AuditAction) => {
      const where = { action, OR: [{ actorId: me.user.id }, { targetId: me.user.id }] };
      const rows = await world.db.auditEntry.findMany({ where, orderBy: { at: 'asc' } });
      return rows.map(({ orgId, ip, requestId }) => ({ orgId, ip, isRequestKnown: requestId !== null }));
    };
    const here = (orgId: string) => ({ orgId, ip: '127.0.0.1', isRequestKnown: true });
    const elsewhere = (orgId: string) => ({ orgId, ip: null, isRequestKnown: false });

    expectError(await logIn(member, { password: 'wrong' }), 401, 'invalid_credentials');
    await until('both entries', async () => (await entriesOf('login.failed')).length === 2);
    expect(await entriesOf('login.failed')).toEqual(expect.arrayContaining([here(home.orgId), elsewhere(first)]));
    expectError(await logIn(member, { password: 'wrong', org_id: first }), 401, 'invalid_credentials');
    await until('the other entry', async () => (await entriesOf('login.failed')).length === 3);
    expect((await entriesOf('login.failed')).at(-1)).toEqual(here(first));

    const { token } = (await logIn(member, { org_id: first })).body;
    const change = { current_password: member.password, new_password: 'another good password' };
    expect((await api.call('POST', '/auth/password', { token, body: change })).status).toBe(204);
    expect(await entriesOf('password.changed')).toEqual(expect.arrayContaining([here(first), elsewhere(home.orgId)]));
  });
});
