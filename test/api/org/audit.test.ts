import type { Schemas } from '@jobline/client';
import type { AuditAction, OrgId } from '@jobline/contracts';
import { deleteExpired, recordAudit } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type NameServer,
  type Person,
  register,
  startNameServer,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;
let names: NameServer;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  names = await startNameServer();
  api = await world.api({ dnsServers: [names.address] });
  owner = await register(api.call);
});
afterAll(async () => {
  await names.close();
  await world.end();
});

const audit = async (person: Person, query = ''): Promise<Schemas['AuditEntry'][]> => {
  const answer = await person.get(`/org/audit${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const actions = (entries: Schemas['AuditEntry'][]) => entries.map(({ action }) => action);
const remove = async ({ token }: Person, path: string) => {
  const answer = await api.call('DELETE', path, { token });
  expect(answer.status, answer.text).toBe(204);
};
const template = { name: 'greeting', kind: 'sms', body: 'Hello' };

describe('the audit log', () => {
  it('has who did what, to what, when and from where', async () => {
    const person = await register(api.call);
    const { id } = (await person.get('/auth/me')).body.user;
    const made = await person.post('/org/api-keys', { name: 'backend' }, { headers: { 'x-request-id': 'request-7' } });

    expect(await audit(person)).toEqual([
      {
        id: expect.any(String),
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        action: 'api_key.created',
        actor: { id, email: person.email },
        target: { id: made.body.id, name: 'backend' },
        ip: '127.0.0.1',
        request_id: 'caller:request-7', // no other request has this id: ids that the service creates have no prefix
        details: { prefix: made.body.prefix },
      },
      expect.objectContaining({
        action: 'organization.registered',
        actor: { id, email: person.email },
        target: { id: person.orgId, name: expect.any(String) },
      }),
    ]);
  });

  it('has each change to keys, senders, templates and secrets once, and no rejected request', async () => {
    const person = await register(api.call);
    const key = await newKey(person);
    await remove(person, `/org/api-keys/${key.id}`);
    const domain = (await person.post('/org/domains', { domain: 'example.org' })).body;
    names.publish(domain.record.name, domain.record.value);
    for (const _ of [1, 2])
      expect((await person.post(`/org/domains/${domain.id}/verify`)).body.status).toBe('verified');
    await remove(person, `/org/domains/${domain.id}`);
    const sender = (await person.post('/org/sender-ids', { sender_id: 'ACME' })).body;
    expectError(await person.post('/org/sender-ids', { sender_id: 'ACME' }), 409, 'conflict');
    await remove(person, `/org/sender-ids/${sender.id}`);
    const { id } = (await person.post('/org/templates', template)).body;
    await api.call('PUT', `/org/templates/${id}`, { token: person.token, body: { ...template, body: 'Goodbye' } });
    await remove(person, `/org/templates/${id}`);
    expectError(await api.call('DELETE', `/org/templates/${id}`, { token: person.token }), 404, 'not_found');
    await person.post('/org/webhook-secret/rotate');
    const suppressed = {
      orgId: person.orgId,
      address: 'a@example.com',
      reason: 'bounce',
      messageId: newId(),
      createdAt: new Date(),
    } as const;
    await remove(person, `/org/suppressions/${(await world.db.suppression.create({ data: suppressed })).id}`);

    const entries = await audit(person);
    expect(actions(entries).reverse()).toEqual([
      'organization.registered',
      'api_key.created',
      'api_key.revoked',
      'domain.added',
      'domain.verified',
      'domain.removed',
      'sender_id.added',
      'sender_id.removed',
      'template.created',
      'template.replaced',
      'template.removed',
      'webhook_secret.rotated',
      'suppression.lifted',
    ]);
    expect(
      entries
        .map(({ target }) => target?.name)
        .slice(0, -1)
        .reverse(),
    ).toEqual([
      'a key',
      'a key',
      ...Array(3).fill('example.org'),
      'ACME',
      'ACME',
      ...Array(3).fill('greeting'),
      undefined,
      'a@example.com',
    ]);
  });

  it('has no entry for a change that is rolled back', async () => {
    const orgId = owner.orgId as OrgId; // as the API returned it
    const fact = { action: 'domain.added', actorId: null, ip: null, requestId: null } as const;
    const before = await world.db.auditEntry.count();
    await expect(
      world.db.$transaction(async (tx) => {
        await recordAudit(tx, orgId, fact);
        throw new Error('the change failed');
      }),
    ).rejects.toThrow('the change failed');
    expect(await world.db.auditEntry.count()).toBe(before);
  });

  it('keeps an entry after its actor and its target are deleted', async () => {
    const admin = await addMember(world, api, owner.orgId, 'admin');
    const key = await newKey(admin, 'short-lived');
    await world.db.user.delete({ where: { email: admin.email } });
    await remove(owner, `/org/api-keys/${key.id}`);

    const [revoked, made] = await audit(owner);
    expect(revoked).toMatchObject({ action: 'api_key.revoked', actor: { email: owner.email } });
    expect(made).toMatchObject({ actor: { email: admin.email }, target: { id: key.id, name: 'short-lived' } });
  });
});

describe('GET /org/audit', () => {
  it('is paged, and filters by action, actor and time', async () => {
    const person = await register(api.call);
    const { id } = (await person.get('/auth/me')).body.user;
    for (let n = 0; n < 4; n++) await newKey(person, `key ${n}`);
    const all = await audit(person);
    expect(all).toHaveLength(5);

    const first = await person.get('/org/audit?limit=2&action=api_key.created');
    expect(first.body).toEqual(all.slice(0, 2));
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await person.get(next);
    expect(second.body).toEqual(all.slice(2, 4));
    expect(second.headers.has('link')).toBe(false);

    const [at = '', id2] = [all[2]?.at, 'aaaaaaaa-0000-7000-8000-000000000000'];
    const isAfter = (entry: Schemas['AuditEntry']) => entry.at >= at;
    expect(await audit(person, `?created_after=${at}`)).toEqual(all.filter(isAfter));
    expect(await audit(person, `?created_before=${at}`)).toEqual(all.filter((entry) => !isAfter(entry)));
    expect(await audit(person, `?actor_id=${id}`)).toEqual(all);
    expect(await audit(person, `?actor_id=${id.toUpperCase()}`)).toEqual(all);
    expect(await audit(person, `?actor_id=${id2}`)).toEqual([]);
  });

  it.each([
    ['?action=everything', ['action']],
    ['?actor_id=me&limit=0', ['actor_id', 'limit']],
    ['?created_after=today&cursor=x&more=1', ['created_after', 'cursor', 'more']],
  ])('rejects %s', async (query, paths) => {
    expectError(await owner.get(`/org/audit${query}`), 400, 'validation_failed', paths);
  });

  it('is for owners and admins, of their own organization only', async () => {
    const [admin, member] = [
      await addMember(world, api, owner.orgId, 'admin'),
      await addMember(world, api, owner.orgId, 'member'),
    ];
    const { key } = await newKey(owner, 'of the owner');
    expect((await audit(admin))[0]?.target?.name).toBe('of the owner');
    expectError(await member.get('/org/audit'), 403, 'forbidden');
    expectError(await api.call('GET', '/org/audit', { key }), 401, 'unauthenticated');
    const stranger = await register(api.call);
    expect(actions(await audit(stranger))).toEqual<AuditAction[]>(['organization.registered']);
  });
});

describe('the database', () => {
  const old = (days: number) => ({
    orgId: owner.orgId,
    action: 'logout',
    at: new Date(Date.now() - days * 86_400_000),
  });

  it('does not let anyone change, delete or truncate the audit log', async () => {
    const before = await world.db.auditEntry.count();
    await world.db.auditEntry.create({ data: old(364) });
    for (const statement of [
      `UPDATE audit_entries SET action = 'nothing'`,
      `UPDATE audit_entries SET at = now() - interval '400 days'`,
      'DELETE FROM audit_entries',
      'TRUNCATE audit_entries',
      'TRUNCATE audit_entries CASCADE',
    ]) {
      await expect(world.db.$executeRawUnsafe(statement), statement).rejects.toThrow(/append-only/);
    }
    expect(await world.db.auditEntry.count()).toBe(before + 1);
  });

  it('keeps an entry for a year; then retention deletes it', async () => {
    await world.db.auditEntry.createMany({ data: [old(366), old(400), old(364)] });
    expect(await deleteExpired(world.db, 'audit_entries', 1)).toBe(1);
    await world.worker();
    const since = { at: { lt: new Date(Date.now() - 365 * 86_400_000) } };
    await until('the old entries to be deleted', async () => (await world.db.auditEntry.count({ where: since })) === 0);
  });

  it('keeps an entry when its organization is deleted', async () => {
    const person = await register(api.call);
    await world.db.organization.delete({ where: { id: person.orgId } });
    expect(await world.db.auditEntry.count({ where: { orgId: person.orgId } })).toBe(1);
  });
});
