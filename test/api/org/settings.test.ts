import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;
const initial = { email: false, webhook: false, failure_rate_percent: null, oldest_waiting_seconds: null };

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  owner = await register(api.call);
});
afterAll(() => world.end());

describe('GET /org/settings', () => {
  it('a new organization has chosen no alerts', async () => {
    const answer = await owner.get('/org/settings');

    expect([answer.status, answer.body]).toEqual([200, { alerts: initial }]);
  });

  it('every member reads the settings', async () => {
    const member = await addMember(world, api, owner.orgId, 'member');
    await owner.patch('/org/settings', { alerts: { email: true } });

    expect((await member.get('/org/settings')).body).toEqual({ alerts: { ...initial, email: true } });
  });
});

describe('PATCH /org/settings', () => {
  it('changes the given fields and no others, also of no other organization', async () => {
    const other = await register(api.call);
    const change = (alerts: object) => owner.patch('/org/settings', { alerts });

    expect((await change({ webhook: true, failure_rate_percent: 20 })).body).toEqual({
      alerts: { ...initial, webhook: true, failure_rate_percent: 20 },
    });
    const answer = await change({ failure_rate_percent: null, oldest_waiting_seconds: 60 });
    expect([answer.status, answer.body]).toEqual([
      200,
      { alerts: { ...initial, webhook: true, oldest_waiting_seconds: 60 } },
    ]);
    expect((await owner.get('/org/settings')).body).toEqual(answer.body);
    expect((await other.get('/org/settings')).body).toEqual({ alerts: initial });
  });

  it.each([
    { failure_rate_percent: 1, oldest_waiting_seconds: 5 },
    { failure_rate_percent: 100, oldest_waiting_seconds: 86_400 },
  ])('accepts %j', async (alerts) => {
    expect((await owner.patch('/org/settings', { alerts })).body).toEqual({ alerts: { ...initial, ...alerts } });
  });

  it.each([
    [{}, ''],
    [{ alerts: {} }, 'alerts'],
    [{ alerts: null }, 'alerts'],
    [{ alerts: { email: null } }, 'alerts.email'],
    [{ alerts: { email: 'yes' } }, 'alerts.email'],
    [{ alerts: { webhook: 1 } }, 'alerts.webhook'],
    [{ alerts: { failure_rate_percent: 0 } }, 'alerts.failure_rate_percent'],
    [{ alerts: { failure_rate_percent: 101 } }, 'alerts.failure_rate_percent'],
    [{ alerts: { failure_rate_percent: 1.5 } }, 'alerts.failure_rate_percent'],
    [{ alerts: { failure_rate_percent: '20' } }, 'alerts.failure_rate_percent'],
    [{ alerts: { oldest_waiting_seconds: 4 } }, 'alerts.oldest_waiting_seconds'],
    [{ alerts: { oldest_waiting_seconds: 86_401 } }, 'alerts.oldest_waiting_seconds'],
    [{ alerts: { email: true, sms: true } }, 'alerts.sms'],
    [{ alerts: { email: true }, retention: 1 }, 'retention'],
  ])('rejects %j and names the field', async (body, path) => {
    expectError(await owner.patch('/org/settings', body), 400, 'validation_failed', [path]);
    expect((await owner.get('/org/settings')).body).toEqual({ alerts: initial });
  });

  it('an admin changes the settings, and a member does not', async () => {
    const [admin, member] = [
      await addMember(world, api, owner.orgId, 'admin'),
      await addMember(world, api, owner.orgId, 'member'),
    ];
    const body = { alerts: { email: true } };

    expect((await admin.patch('/org/settings', body)).status).toBe(200);
    expectError(await member.patch('/org/settings', body), 403, 'forbidden');
  });

  it('a change is in the audit log with its author, and a rejected one is not', async () => {
    await owner.patch('/org/settings', { alerts: { email: true } });
    await owner.patch('/org/settings', { alerts: { email: 1 } });

    const entries = (await owner.get('/org/audit?action=settings.changed')).body;
    expect(entries).toMatchObject([{ actor: { email: owner.email }, target: null }]);
  });

  it('concurrent first changes of different fields are all kept', async () => {
    const changes = [{ email: true }, { webhook: true }, { failure_rate_percent: 5 }, { oldest_waiting_seconds: 5 }];
    await Promise.all(changes.map((alerts) => owner.patch('/org/settings', { alerts })));

    expect((await owner.get('/org/settings')).body).toEqual({ alerts: Object.assign({}, ...changes) });
  });
});
