import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;
const noAlerts = { email: false, webhook: false, failure_rate_percent: null, oldest_waiting_seconds: null };
const initial = { retention_days: null, redact: { payload_keys: [], after_days: 0 }, alerts: noAlerts };

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  owner = await register(api.call);
});
afterAll(() => world.end());

describe('GET /org/settings', () => {
  it('a new organization has chosen nothing', async () => {
    const answer = await owner.get('/org/settings');

    expect([answer.status, answer.body]).toEqual([200, initial]);
  });

  it('every member reads the settings', async () => {
    const member = await addMember(world, api, owner.orgId, 'member');
    await owner.patch('/org/settings', { alerts: { email: true } });

    expect((await member.get('/org/settings')).body).toEqual({ ...initial, alerts: { ...noAlerts, email: true } });
  });
});

describe('PATCH /org/settings', () => {
  it('changes the given fields and no others, also of no other organization', async () => {
    const other = await register(api.call);
    const redact = { payload_keys: ['card', '__proto__'], after_days: 3 };

    expect((await owner.patch('/org/settings', { redact })).body).toEqual({ ...initial, redact });
    const answer = await owner.patch('/org/settings', { retention_days: 7 });
    expect([answer.status, answer.body]).toEqual([200, { ...initial, redact, retention_days: 7 }]);
    expect((await owner.get('/org/settings')).body).toEqual(answer.body);
    expect((await owner.patch('/org/settings', { retention_days: null })).body).toEqual({ ...initial, redact });
    expect((await other.get('/org/settings')).body).toEqual(initial);
  });

  it('an object that is sent is replaced: what it leaves out gets its first value', async () => {
    await owner.patch('/org/settings', {
      redact: { payload_keys: ['card'], after_days: 3 },
      alerts: { webhook: true, failure_rate_percent: 20 },
    });

    const { body } = await owner.patch('/org/settings', { redact: { payload_keys: ['pin'] }, alerts: { email: true } });
    expect(body).toEqual({
      ...initial,
      redact: { payload_keys: ['pin'], after_days: 0 },
      alerts: { ...noAlerts, email: true },
    });
    expect((await owner.patch('/org/settings', { redact: { after_days: 1 } })).body.redact).toEqual({
      payload_keys: [],
      after_days: 1,
    });
  });

  it.each([
    { failure_rate_percent: 1, oldest_waiting_seconds: 5 },
    { failure_rate_percent: 100, oldest_waiting_seconds: 86_400 },
    { min_jobs: 1, types: [], chat: { channel: '#alerts' } },
    { min_jobs: 1_000, types: Array.from({ length: 50 }, (_, n) => `type-${n}`) },
  ])('accepts alerts %j', async (alerts) => {
    expect((await owner.patch('/org/settings', { alerts })).body).toEqual({
      ...initial,
      alerts: { ...noAlerts, ...alerts },
    });
  });

  it.each([
    { payload_keys: Array.from({ length: 50 }, (_, n) => `key ${n}`), after_days: 0 },
    { payload_keys: ['a', 'A', ' a', 'x'.repeat(128), '🂡'.repeat(128), '__proto__', '0'], after_days: 30 },
  ])('accepts the keys to redact %#', async (redact) => {
    expect((await owner.patch('/org/settings', { redact })).body).toEqual({ ...initial, redact });
  });

  it.each([1, 30])('accepts a retention of %i days', async (days) => {
    expect((await owner.patch('/org/settings', { retention_days: days })).body).toEqual({
      ...initial,
      retention_days: days,
    });
  });

  it('rejects a retention longer than that of the installation', async () => {
    const short = await world.alone.api({ settings: { retentionDays: 3 } });
    const patch = (days: number) =>
      short.call('PATCH', '/org/settings', { token: owner.token, body: { retention_days: days } });

    const answer = await patch(4);
    expectError(answer, 400, 'validation_failed', ['retention_days']);
    expect(answer.body.error.details[0].message).toContain('at most 3');
    expect((await patch(3)).status).toBe(200);
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
    [{ alerts: { min_jobs: 0 } }, 'alerts.min_jobs'],
    [{ alerts: { min_jobs: 1_001 } }, 'alerts.min_jobs'],
    [{ alerts: { min_jobs: null } }, 'alerts.min_jobs'],
    [{ alerts: { types: Array.from({ length: 51 }, (_, n) => `t${n}`) } }, 'alerts.types'],
    [{ alerts: { types: ['a', 'a'] } }, 'alerts.types[1]'],
    [{ alerts: { types: ['a b'] } }, 'alerts.types[0]'],
    [{ alerts: { chat: {} } }, 'alerts.chat.channel'],
    [{ alerts: { chat: { channel: '' } } }, 'alerts.chat.channel'],
    [{ alerts: { chat: { channel: '\u0000' } } }, 'alerts.chat.channel'],
    [{ alerts: { chat: { channel: '#a', text: 'x' } } }, 'alerts.chat.text'],
    [{ alerts: { email: true, sms: true } }, 'alerts.sms'],
    [{ alerts: { email: true }, retention: 1 }, 'retention'],
    [{ retention_days: 0 }, 'retention_days'],
    [{ retention_days: 1.5 }, 'retention_days'],
    [{ retention_days: '7' }, 'retention_days'],
    [{ retention_days: 31 }, 'retention_days'],
    [{ retention_days: 1e300 }, 'retention_days'],
    [{ redact: {} }, 'redact'],
    [{ redact: null }, 'redact'],
    [{ redact: { payload_keys: null } }, 'redact.payload_keys'],
    [{ redact: { payload_keys: 'card' } }, 'redact.payload_keys'],
    [{ redact: { payload_keys: Array.from({ length: 51 }, (_, n) => `k${n}`) } }, 'redact.payload_keys'],
    [{ redact: { payload_keys: ['a', 'a'] } }, 'redact.payload_keys[1]'],
    [{ redact: { payload_keys: [''] } }, 'redact.payload_keys[0]'],
    [{ redact: { payload_keys: ['x'.repeat(129)] } }, 'redact.payload_keys[0]'],
    [{ redact: { payload_keys: ['a\u0000'] } }, 'redact.payload_keys[0]'],
    [{ redact: { payload_keys: ['\ud800'] } }, 'redact.payload_keys[0]'],
    [{ redact: { payload_keys: [1] } }, 'redact.payload_keys[0]'],
    [{ redact: { after_days: -1 } }, 'redact.after_days'],
    [{ redact: { after_days: 31 } }, 'redact.after_days'],
    [{ redact: { after_days: 0.5 } }, 'redact.after_days'],
    [{ redact: { after_days: null } }, 'redact.after_days'],
    [{ redact: { after_days: 1, keys: [] } }, 'redact.keys'],
  ])('rejects %j and names the field', async (body, path) => {
    expectError(await owner.patch('/org/settings', body), 400, 'validation_failed', [path]);
    expect((await owner.get('/org/settings')).body).toEqual(initial);
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

  it('names every field that is wrong', async () => {
    const body = { retention_days: 31, redact: { after_days: 31 }, alerts: { email: 1 } };
    const paths = ['retention_days', 'redact.after_days', 'alerts.email'];

    expectError(await owner.patch('/org/settings', body), 400, 'validation_failed', paths);
  });

  it('concurrent first changes of different fields are all kept', async () => {
    const changes = [
      { alerts: { ...noAlerts, email: true } },
      { retention_days: 5 },
      { redact: { payload_keys: ['card'], after_days: 2 } },
    ];
    await Promise.all(changes.map((change) => owner.patch('/org/settings', change)));

    expect((await owner.get('/org/settings')).body).toEqual(Object.assign({}, ...changes));
  });
});
