import type { UserId } from '@jobline/contracts';
import { countNotice } from '@jobline/db';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, expectError, verifyAddresses } from '../api/support.js';
import {
  createWorld,
  type Person,
  type Received,
  register,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import { closeAll } from '../providers/receivers.js';
import { reply, smtpStandIn } from '../providers/smtp-stand-in.js';
import { alertsOf, checkAll, choose, endEarlier, storeEnded, storePending } from './alert-jobs.js';
import { createHookWorld, eventOf, type HookWorld, isSigned } from './hook-world.js';

describe('events of alerts', () => {
  let hooks: HookWorld;

  beforeAll(async () => {
    hooks = await createHookWorld();
  });
  beforeEach(() => hooks.reset());
  afterAll(() => hooks.world.end());

  const fail = () => storeEnded(hooks.world.db, hooks.person.orgId, { done: 30, failed: 20 });
  const check = () => checkAll(hooks.world.db);

  it('webhooks that have chosen them get the start and the end of an alert, signed', async () => {
    const hook = await hooks.createHook(['alert.*']);
    await hooks.createHook(['job.done'], '/other');
    await choose(hooks.person, { webhook: true, failure_rate_percent: 20 });
    await fail();
    await check();
    await until('the alert', () => hooks.at('/hook').length === 1);
    await endEarlier(hooks.world.db, hooks.person.orgId, 15);
    await check();
    await until('its end', () => hooks.at('/hook').length === 2);

    const [raised, resolved] = hooks.at('/hook') as [Received, Received];
    expect(isSigned(raised, hook.secret)).toBe(true);
    const event = eventOf(raised);
    expect(event).toMatchObject({
      type: 'alert.raised',
      data: { id: expect.any(String), kind: 'failure_rate', threshold: 20, value: 40, since: event.timestamp },
    });
    expect(eventOf(resolved)).toMatchObject({ type: 'alert.resolved', data: { ...event.data, value: 0 } });
    expect(hooks.at('/other')).toEqual([]);
  });

  it('nothing is sent about a second alert within an hour, also not its end', async () => {
    await hooks.createHook(['alert.*']);
    await choose(hooks.person, { webhook: true, failure_rate_percent: 20 });
    for (let episode = 0; episode < 2; episode++) {
      await fail();
      await check();
      await endEarlier(hooks.world.db, hooks.person.orgId, 15);
      await check();
    }

    expect(await alertsOf(hooks.world.db, hooks.person)).toHaveLength(2);
    const events = await hooks.world.db.webhookEvent.findMany({ where: { orgId: hooks.person.orgId } });
    expect(events.map(({ type }) => type).sort()).toEqual(['alert.raised', 'alert.resolved']);
  });

  it.each([
    ['the organization has not chosen webhooks', { email: true }, ['*']],
    ['no webhook has chosen it', { webhook: true }, ['job.failed', 'message.*']],
  ])('no event is written if %s', async (_reason, chosen, events) => {
    await choose(hooks.person, { ...chosen, failure_rate_percent: 20 });
    await fail();
    await hooks.createHook(events);
    await check();

    expect(await alertsOf(hooks.world.db, hooks.person)).toHaveLength(1);
    expect(await hooks.world.db.webhookEvent.count({ where: { orgId: hooks.person.orgId } })).toBe(0);
  });
});

describe('two API processes with a mail server', () => {
  let world: World;
  let api: TestApi;
  let owner: Person;
  let server: Awaited<ReturnType<typeof smtpStandIn>>;

  beforeEach(async () => {
    server = await smtpStandIn();
    const options = {
      alertsEveryMs: 20,
      settings: { publicUrl: 'https://jobs.example.com' },
      providers: {
        EMAIL_PROVIDER: 'smtp',
        EMAIL_SMTP_HOST: '127.0.0.1',
        EMAIL_SMTP_PORT: String(server.port),
        EMAIL_SMTP_TLS: 'none',
        EMAIL_SYSTEM_FROM: 'Jobline <service@jobs.example.com>',
      },
    };
    world = await createWorld();
    [api] = await Promise.all([world.api(options), world.api(options)]);
    owner = await register(api.call, { orgName: 'Acme' });
    await verified(owner);
  });
  afterEach(async () => {
    await world.end();
    await closeAll();
  });

  /** Verifies addresses after their registrations have sent the link, and forgets these emails. */
  async function verified(...people: Person[]): Promise<void> {
    await until('the links', () => server.mails.length === people.length);
    await verifyAddresses(world, ...people);
    server.mails.length = 0;
    server.offered = 0;
  }

  it('raise an alert once, and owners and admins get one email about it', async () => {
    const admin = await addMember(world, api, owner.orgId, 'admin');
    await verified(admin, await addMember(world, api, owner.orgId, 'member'));
    await owner.post('/org/webhooks', { url: 'https://hooks.example.com/', events: ['alert.raised'] });
    await storeEnded(world.db, owner.orgId, { done: 66, failed: 34 });
    await choose(owner, { email: true, webhook: true, failure_rate_percent: 20 });
    await until('two emails', () => server.mails.length === 2);

    expect(server.mails.map(({ envelope }) => envelope.to[0]).sort()).toEqual([admin.email, owner.email].sort());
    const [first] = server.mails;
    expect(first?.mail.subject).toBe('Jobline: 34 % of your jobs failed in the last 15 minutes');
    expect(first?.mail.text).not.toContain('Acme'); // no name that people have chosen
    expect(first?.mail.text).toContain('threshold of this organization is 20 %');
    expect(first?.mail.text).toContain(`https://jobs.example.com/?org=${owner.orgId}&status=failed`);

    // The checks continue, and the end of the alert is no email.
    await endEarlier(world.db, owner.orgId, 15);
    await until('its end', async () => (await alertsOf(world.db, owner))[0]?.resolvedAt);
    expect(await alertsOf(world.db, owner)).toHaveLength(1);
    expect(await world.db.webhookEvent.count({ where: { orgId: owner.orgId, type: 'alert.raised' } })).toBe(1);
    expect(server.offered).toBe(2);
  });

  it('an email that the mail server defers is tried again', async () => {
    const replies = [reply(451, '4.7.1 try later'), undefined];
    server.decide = () => replies.shift();
    await storePending(world.db, owner.orgId, { dueForS: 3_000 });
    await choose(owner, { email: true, oldest_waiting_seconds: 60 });
    await until('the email', () => server.mails.length === 1);

    expect(server.offered).toBe(2);
    expect(server.mails[0]?.mail.subject).toMatch(/^Jobline: a job has been waiting for 30\d\d seconds$/);
    expect(server.mails[0]?.mail.text).toContain(`https://jobs.example.com/?org=${owner.orgId}&status=pending`);
  });

  it('a test is sent where an alert would be, says who gets none, and is not listed', async () => {
    const admin = await addMember(world, api, owner.orgId, 'admin');
    await addMember(world, api, owner.orgId, 'admin');
    await until('the links', () => server.mails.length === 2);
    await verifyAddresses(world, admin);
    server.mails.length = 0;
    expectError(await owner.post('/org/alerts/test'), 409, 'conflict');
    await owner.post('/org/webhooks', { url: 'https://hooks.example.com/', events: ['alert.*'] });
    const chat = { channel: '#jobs' };
    await choose(owner, { email: true, webhook: true, chat, failure_rate_percent: 20, oldest_waiting_seconds: 60 });

    const { status, body } = await admin.post('/org/alerts/test');
    expect([status, body.channels]).toEqual([
      202,
      [
        { channel: 'email', sent: 2, reason: expect.stringMatching(/^1 of 3 owners and admins get none/) },
        { channel: 'webhook', sent: 1, reason: null },
        { channel: 'chat', sent: 1, reason: null },
      ],
    ]);
    await until('two emails', () => server.mails.length === 2);
    expect(server.mails.map(({ envelope }) => envelope.to[0]).sort()).toEqual([admin.email, owner.email].sort());
    expect(server.mails[0]?.mail.text).toContain(`https://jobs.example.com/settings?org=${owner.orgId}`);
    const [event] = await world.db.webhookEvent.findMany({ where: { orgId: owner.orgId } });
    expect(event).toMatchObject({ type: 'alert.raised', data: { kind: 'failure_rate', threshold: 20, test: true } });
    expect(await world.db.liveJob.count({ where: { type: 'team_chat_notify' } })).toBe(1);
    expect((await owner.get('/org/alerts')).body).toEqual([]);

    await world.db.user.updateMany({ data: { provedAt: null } });
    expect((await owner.post('/org/alerts/test')).body.channels[0]).toEqual({
      channel: 'email',
      sent: 0,
      reason: 'No owner or admin has a verified address.',
    });
  });

  it('an organization sends ten tests in 24 hours, which use up no emails about alerts', async () => {
    await choose(owner, { email: true, failure_rate_percent: 20 });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await owner.post('/org/alerts/test')).status);

    expect(statuses).toEqual([...Array<number>(10).fill(202), 429]);
    // The cast: it is the id of a user.
    const id = (await owner.get('/auth/me')).body.user.id as UserId;
    expect(await countNotice(world.db, id, 'test')).toBeNull();
    expect(await countNotice(world.db, id, 'alert')).toBe(owner.email);
  });

  it('no email is sent if the organization has chosen webhooks alone', async () => {
    await storeEnded(world.db, owner.orgId, { failed: 20 });
    await choose(owner, { webhook: true, failure_rate_percent: 20 });
    await until('the alert', async () => (await alertsOf(world.db, owner)).length === 1);

    expect(await world.db.alert.count({ where: { isMailDue: true } })).toBe(0);
    expect(server.offered).toBe(0);
  });
});
