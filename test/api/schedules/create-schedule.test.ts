import { QUOTAS } from '@jobline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';
import { createSchedule, readSchedule } from './support.js';

const BODY = { name: 'nightly', cron: '30 2 * * *', type: 'no.handler', payload: {} };

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  await person.put('/org/limits/slow', { concurrency: 1 });
});
afterAll(() => world.end());

let names = 0;
const fresh = () => `name ${++names}`;
const create = (more: object, headers = {}) =>
  person.post('/schedules', { ...BODY, name: fresh(), ...more }, { headers });

describe('POST /schedules', () => {
  it('answers the schedule with its next time and the first value of each field that was left out', async () => {
    const before = Date.now();
    const { status, body } = await person.post('/schedules', { ...BODY, name: ' by day ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'by day',
      cron: '30 2 * * *',
      every_seconds: null,
      timezone: 'UTC',
      description: 'At 02:30 (UTC)',
      type: 'no.handler',
      payload: {},
      max_retries: 0,
      priority: 0,
      tags: [],
      limit: null,
      key: null,
      callback_url: null,
      overlap: 'allow',
      missed: 'run_once',
      enabled: true,
      next_run_at: expect.stringMatching(/T02:30:00\.000Z$/),
      last_run_at: null,
      last_job_id: null,
      last_status: null,
      skipped: 0,
      created_at: expect.any(String),
    });
    const next = Date.parse(body.next_run_at);
    expect(next).toBeGreaterThan(before);
    expect(next).toBeLessThanOrEqual(Date.now() + 86_400_000);
    expect(await readSchedule(person, body.id)).toEqual(body);
  });

  it('takes the longest period', async () => {
    const { status, body } = await create({ cron: undefined, every_seconds: 31_536_000 });
    expect([status, body.every_seconds]).toEqual([201, 31_536_000]);
  });

  it('takes every field of a submission that a schedule hands on', async () => {
    const fields = {
      payload: { a: [1, { b: null }], '': 'x', constructor: 1 },
      max_retries: 100,
      priority: 9,
      tags: ['b', 'a'],
      limit: 'slow',
      key: 'acme 42',
      callback_url: 'https://example.com/hook?a=b',
      overlap: 'cancel_previous',
      missed: 'run_all',
      enabled: false,
    };
    const { status, body } = await create(fields);
    expect(status).toBe(201);
    expect(body).toMatchObject(fields);
    expect(body.next_run_at).toBeNull();
    expect(await readSchedule(person, body.id)).toEqual(body);
  });

  it('counts a period from the creation, with the first run one period later', async () => {
    const { body } = await create({ cron: undefined, every_seconds: 90 });
    expect(Date.parse(body.next_run_at) - Date.parse(body.created_at)).toBe(90_000);
  });

  it('stores a payload exactly as it was sent', async () => {
    const raw = `{"name":"odd","cron":"@daily","type":"t","payload":{"__proto__":{"x":1},"n":1e-7,"s":"\\u0000\\ud800"}}`;
    const { body, text } = await api.call('POST', '/schedules', { token: person.token, raw });
    expect(text).toContain('"__proto__":{"x":1}');
    expect((await person.get(`/schedules/${body.id}`)).text).toContain(
      '"payload":{"__proto__":{"x":1},"n":1e-7,"s":"\\u0000\\ud800"}',
    );
  });

  it('a plan whose time never comes has no next time', async () => {
    const { status, body } = await create({ cron: '0 0 30 2 *' });
    expect([status, body.enabled, body.next_run_at]).toEqual([201, true, null]);
  });

  it.each([
    ['no name', { name: undefined }, ['name']],
    ['an empty name', { name: ' ' }, ['name']],
    ['a name with a line break', { name: 'a\nb' }, ['name']],
    ['a long name', { name: 'x'.repeat(201) }, ['name']],
    ['no timing', { cron: undefined }, ['cron']],
    ['only nulls as timing', { cron: null, every_seconds: null }, ['cron']],
    ['both timings', { every_seconds: 60 }, ['every_seconds']],
    ['a number as cron', { cron: 5 }, ['cron']],
    ['an empty cron', { cron: '' }, ['cron']],
    ['a cron with four fields', { cron: '* * * *' }, ['cron']],
    ['a cron with #', { cron: '0 0 * * 1#1' }, ['cron']],
    ['a cron with W', { cron: '0 0 15W * *' }, ['cron']],
    ['a cron with ?', { cron: '0 0 ? * *' }, ['cron']],
    ['a cron that is too long', { cron: `${'1,'.repeat(200)}1 * * * *` }, ['cron']],
    ['a cron that runs too often', { cron: '*/4 * * * * *' }, ['cron']],
    ['a cron that runs too often over the end of a minute', { cron: '58,2 * * * * *' }, ['cron']],
    ['a cron that looks like a template', { cron: '{{a}} * * * {b}' }, ['cron']],
    ['a period that is too short', { cron: undefined, every_seconds: 4 }, ['every_seconds']],
    ['a period that is too long', { cron: undefined, every_seconds: 31_536_001 }, ['every_seconds']],
    ['a period with a fraction', { cron: undefined, every_seconds: 5.5 }, ['every_seconds']],
    ['a period as text', { cron: undefined, every_seconds: '60' }, ['every_seconds']],
    ['an unknown time zone', { timezone: 'Mars/Base' }, ['timezone']],
    ['an offset as time zone', { timezone: '+01:00' }, ['timezone']],
    ['null as time zone', { timezone: null }, ['timezone']],
    ['no type', { type: undefined }, ['type']],
    ['a type with a space', { type: 'a b' }, ['type']],
    ['no payload', { payload: undefined }, ['payload']],
    ['an array as payload', { payload: [] }, ['payload']],
    ['a payload that its type rejects', { type: 'webhook', payload: { url: 1 } }, ['payload.url', 'payload.payload']],
    ['too many retries', { max_retries: 101 }, ['max_retries']],
    ['a negative priority', { priority: -1 }, ['priority']],
    ['a tag with a space', { tags: ['a b'] }, ['tags[0]']],
    ['a repeated tag', { tags: ['a', 'a'] }, ['tags[1]']],
    ['too many tags', { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, ['tags']],
    ['a limit with a space', { limit: 'a b' }, ['limit']],
    ['a limit that does not exist', { limit: 'nowhere' }, ['limit']],
    ['a long key', { key: 'x'.repeat(201) }, ['key']],
    ['a callback to a file', { callback_url: 'file:///etc/passwd' }, ['callback_url']],
    ['a callback with a password', { callback_url: 'https://a:b@example.com/' }, ['callback_url']],
    ['a callback to a port of another protocol', { callback_url: 'http://example.com:6379/' }, ['callback_url']],
    ['an unknown overlap', { overlap: 'queue' }, ['overlap']],
    ['an unknown missed', { missed: 'all' }, ['missed']],
    ['a number as enabled', { enabled: 1 }, ['enabled']],
    ['a run_at', { run_at: '2027-01-01T00:00:00Z' }, ['run_at']],
    ['a next_run_at', { next_run_at: '2027-01-01T00:00:00Z' }, ['next_run_at']],
    ['several faults', { name: 1, timezone: 'x', payload: 5 }, ['name', 'timezone', 'payload']],
  ])('%s is a 400 that names it', async (_what, more, paths) => {
    expectError(await create(more), 400, 'validation_failed', paths);
  });

  it('a payload that is nested too deeply is a 400', async () => {
    const payload = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`);
    const answer = await create({ payload });
    expectError(answer, 400, 'validation_failed');
    expect(answer.body.error.details[0].path).toMatch(/^payload\.a/);
  });

  it('a sender that the organization may not use is a 403, as for a submission', async () => {
    const payload = { to: 'a@example.com', subject: 's', body: 'b', from: 'me@not-verified.example' };
    expectError(await create({ type: 'send_email', payload }), 403, 'sender_domain_not_verified', ['payload.from']);
    const sms = { to: '+254711000111', message: 'm', from: 'UNKNOWN' };
    expectError(await create({ type: 'send_sms', payload: sms }), 403, 'sender_not_registered', ['payload.from']);
  });

  it('a type that the installation does not accept is a 400', async () => {
    const strict = await world.alone.api({ settings: { allowedTypes: new Set(['webhook']) } });
    const other = await register(strict.call);
    expectError(await other.post('/schedules', BODY), 400, 'validation_failed', ['type']);
    const hook = { url: 'https://example.com/', payload: {} };
    const { status, body } = await other.post('/schedules', { ...BODY, type: 'webhook', payload: hook });
    expect(status).toBe(201);
    expectError(await other.patch(`/schedules/${body.id}`, { type: 'other' }), 400, 'validation_failed', ['type']);
    await world.db.$executeRaw`UPDATE schedules SET type = 'other' WHERE id = ${body.id}::uuid`;
    expectError(await other.post(`/schedules/${body.id}/run`), 400, 'validation_failed', ['type']);
  });

  it('a name that is in use is a 409, and other organizations may have it', async () => {
    const name = fresh();
    expect((await create({ name })).status).toBe(201);
    expectError(await create({ name }), 409, 'conflict', ['name']);
    const other = await register(api.call);
    expect((await other.post('/schedules', { ...BODY, name })).status).toBe(201);
  });
});

describe('the quotas of schedules', () => {
  it('an organization has at most 1,000 schedules, no matter how many are requested at the same moment', async () => {
    const full = await register(api.call);
    await world.db.$executeRaw`
      INSERT INTO schedules (id, org_id, name, every_seconds, timezone, anchor_at, type, payload, payload_bytes, max_retries,
        priority, overlap, missed, enabled, created_at)
      SELECT gen_random_uuid(), ${full.orgId}::uuid, 'n' || n, 60, 'UTC', now(), 't', '{}', 2, 0, 0, 'allow', 'skip', false, now()
      FROM generate_series(1, ${QUOTAS.schedules - 1}::int) AS n`;
    const answers = await Promise.all([1, 2, 3].map(() => full.post('/schedules', { ...BODY, name: fresh() })));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = await full.post('/schedules', { ...BODY, name: fresh() });
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).toContain('1000 schedules');
    expect((await full.get('/schedules?limit=1000')).body).toHaveLength(1_000);
  });

  it('the payloads of an organization have at most 16 MiB together', async () => {
    const full = await register(api.call);
    const payload = { text: 'x'.repeat(1_000_000) };
    for (let n = 0; n < 16; n++) await createSchedule(full, { payload });
    const small = await createSchedule(full, { payload: { text: 'x'.repeat(700_000) } });

    const refused = await full.post('/schedules', { ...BODY, name: fresh(), payload });
    expectError(refused, 409, 'conflict', ['payload']);
    expect(refused.body.error.message).toContain('16 MiB');
    expectError(await full.patch(`/schedules/${small.id}`, { payload }), 409, 'conflict', ['payload']);
    expect((await full.patch(`/schedules/${small.id}`, { payload: { text: 'y'.repeat(700_000) } })).status).toBe(200);
  });
});
