import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
  await verified(owner, 'verified.com');
  await verified(owner, 'bücher.example');
  await owner.post('/org/domains', { domain: 'pending.example' });
  await owner.post('/org/sender-ids', { sender_id: 'ACME' });
  await owner.post('/org/templates', {
    name: 'welcome',
    kind: 'email',
    subject: 'Hi {{ name }}',
    body: 'Order {{ order.id }}{% if vip %}!{% endif %}',
  });
  await owner.post('/org/templates', { name: 'code', kind: 'sms', body: 'Code {{ code }}' });
});
afterAll(() => world.end());

/** Marks a domain as verified, as if its record had been found. */
async function verified(person: Person, domain: string): Promise<void> {
  const { id } = (await person.post('/org/domains', { domain })).body;
  await world.db.domain.update({ where: { id }, data: { verifiedAt: new Date() } });
}

const email = { to: 'ada@example.com', subject: 'Hi', body: 'Hello' };
const sms = { to: '+254711000111', message: 'Hello' };
const submit = (type: string, payload: object, person = owner) => person.post('/jobs', { type, payload });

describe('an email is accepted', () => {
  it.each([
    undefined,
    'hello@verified.com',
    'Hello@VERIFIED.com.',
    'Acme <hello@verified.com>',
    '"Acme, Inc." <hello@verified.com>',
    'hello@bücher.example',
    'hello@xn--bcher-kva.example',
  ])('from %j', async (from) => {
    const answer = await submit('send_email', { ...email, ...(from !== undefined && { from }) });

    expect(answer.status, answer.text).toBe(202);
  });
});

describe('an email is rejected', () => {
  it.each([
    'x@evil.com',
    'x@sub.verified.com',
    'x@notverified.com',
    'x@verified.com.evil.com',
    'x@pending.example',
    'x@vеrified.com',
    '"a@verified.com" <x@evil.com>',
    '"<a@verified.com>" <x@evil.com>',
  ])('from %j, whose domain is not verified', async (from) => {
    expectError(await submit('send_email', { ...email, from }), 403, 'sender_domain_not_verified', ['payload.from']);
  });

  it.each([
    'a@verified.com, x@evil.com',
    'x@evil.com <a@verified.com>',
    'a@verified.com (x@evil.com)',
    'A <x@evil.com>, B <a@verified.com>',
    '<@evil.com:a@verified.com>',
    'a@verified.com\r\nBcc: x@evil.com',
    'A\r\nBcc: x@evil.com <a@verified.com>',
    'verified.com',
    'a@[127.0.0.1]',
  ])('from %j, which is not exactly one address', async (from) => {
    expectError(await submit('send_email', { ...email, from }), 400, 'validation_failed', ['payload.from']);
  });

  it('from a domain that another organization has verified', async () => {
    const stranger = await register(api.call);
    const answer = await submit('send_email', { ...email, from: 'a@verified.com' }, stranger);

    expectError(answer, 403, 'sender_domain_not_verified', ['payload.from']);
  });

  it('from a domain that was removed in the meantime', async () => {
    await verified(owner, 'removed.example');
    const payload = { ...email, from: 'a@removed.example' };
    expect((await submit('send_email', payload)).status).toBe(202);
    const [{ id }] = (await owner.get('/org/domains?limit=1')).body;
    await api.call('DELETE', `/org/domains/${id}`, { token: owner.token });

    expectError(await submit('send_email', payload), 403, 'sender_domain_not_verified', ['payload.from']);
  });

  it('with its issue named in the other spelling too', async () => {
    const body = { Type: 'send_email', Payload: { ...email, from: 'x@evil.com' } };

    expectError(await owner.post('/jobs', body), 403, 'sender_domain_not_verified', ['Payload.from']);
  });
});

describe('an SMS', () => {
  it('is accepted from a registered sender id, or without one', async () => {
    for (const payload of [sms, { ...sms, from: 'ACME' }]) {
      expect((await submit('send_sms', payload)).status).toBe(202);
    }
  });

  it.each(['acme', 'ACME ', 'OTHER', '+254711000111'])('is rejected from %j', async (from) => {
    expectError(await submit('send_sms', { ...sms, from }), 403, 'sender_not_registered', ['payload.from']);
  });
});

describe('a job with a template', () => {
  it('is accepted with all variables of the template', async () => {
    const data = { name: 'Ada', order: { id: 7 } };

    expect((await submit('send_email', { to: email.to, template: 'welcome', data })).status).toBe(202);
    expect((await submit('send_sms', { to: sms.to, template: 'code', data: { code: 1 } })).status).toBe(202);
  });

  it('is rejected with each variable that is missing', async () => {
    const answer = await submit('send_email', { to: email.to, template: 'welcome', data: { order: {} } });

    expectError(answer, 400, 'validation_failed', ['payload.data.name', 'payload.data.order.id']);
    expect(answer.body.error.details[0].message).toBe('"payload.data.name" is missing: the template needs it');
    expectError(await submit('send_sms', { to: sms.to, template: 'code' }), 400, 'validation_failed', [
      'payload.data.code',
    ]);
  });

  it.each(['unknown', 'code', 'a\u0000b'])('is rejected if the template %j does not exist', async (template) => {
    expectError(await submit('send_email', { to: email.to, template }), 400, 'validation_failed', ['payload.template']);
  });

  it('is rejected if the rendered text is empty', async () => {
    await owner.post('/org/templates', { name: 'bare', kind: 'email', body: ' {% if x %}x{% endif %} ' });
    const answer = await submit('send_email', { to: email.to, template: 'bare' });

    expectError(answer, 400, 'validation_failed', ['payload.subject', 'payload.body']);
  });

  it('is rejected if the template belongs to another organization', async () => {
    const stranger = await register(api.call);
    const answer = await submit('send_sms', { to: sms.to, template: 'code', data: { code: 1 } }, stranger);

    expectError(answer, 400, 'validation_failed', ['payload.template']);
  });
});

describe('a batch', () => {
  it('is rejected with every sender that is not allowed, and stores nothing', async () => {
    const jobs = [
      { id: 'batch-a', type: 'send_email', payload: email },
      { id: 'batch-b', type: 'send_email', payload: { ...email, from: 'x@evil.com' } },
      { ID: 'batch-c', Type: 'send_email', Payload: { ...email, from: 'y@evil.com' } },
    ];
    const answer = await owner.post('/jobs/batch', { jobs });

    expectError(answer, 403, 'sender_domain_not_verified', ['jobs[1].payload.from', 'jobs[2].Payload.from']);
    expectError(await owner.get('/jobs/batch-a'), 404, 'not_found');
  });

  it('reports validation issues before forbidden senders', async () => {
    const jobs = [
      { type: 'send_email', payload: { ...email, from: 'x@evil.com' } },
      { type: 'send_sms', payload: { to: sms.to, template: 'code' } },
    ];

    expectError(await owner.post('/jobs/batch', { jobs }), 400, 'validation_failed', ['jobs[1].payload.data.code']);
  });

  it('needs few statements for a thousand emails', async () => {
    const data = { name: 'Ada', order: { id: 7 } };
    const payload = { to: email.to, from: 'a@verified.com', template: 'welcome', data };
    const jobs = Array.from({ length: 1_000 }, () => ({ type: 'send_email', payload }));

    const query = vi.spyOn(pg.Client.prototype, 'query');
    expect((await owner.post('/jobs/batch', { jobs })).status).toBe(202);
    const statements = query.mock.calls.length;
    query.mockRestore();

    expect(statements).toBeGreaterThan(0);
    // Those that the process sends meanwhile for itself are included.
    expect(statements).toBeLessThan(200);
  });
});

describe('jobs of other types', () => {
  it('are not checked', async () => {
    expect((await submit('custom', { from: 'x@evil.com', template: 'unknown' })).status).toBe(202);
  });
});
