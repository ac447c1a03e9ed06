import { Jobline } from '@jobline/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { type ClientWorld, createClientWorld, rejection } from './client-world.js';

let at: ClientWorld;

beforeAll(async () => {
  at = await createClientWorld();
});
afterAll(() => at.end());

async function rowsOf<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

it('a schedule can be previewed, created, listed, changed, run and deleted', async () => {
  const { schedules } = at.session;
  expect((await schedules.preview({ cron: '0 9 * * *', count: 2 })).times).toHaveLength(2);
  const payload = { to: '+254700000001', message: 'Good morning' };
  const schedule = await schedules.create({ name: 'daily', cron: '0 9 * * *', type: 'send_sms', payload });

  expect(await schedules.get(schedule.id)).toEqual(schedule);
  expect(await schedules.list()).toEqual({ data: [schedule], nextCursor: null });
  expect(await rowsOf(schedules.all({ limit: 1 }))).toEqual([schedule]);
  expect(await schedules.update(schedule.id, { enabled: false })).toMatchObject({ enabled: false, next_run_at: null });
  const { id } = await schedules.run(schedule.id);
  expect(await at.client.jobs.wait(id)).toMatchObject({ type: 'send_sms', schedule_id: schedule.id });
  expect(await schedules.delete(schedule.id)).toBeUndefined();
  expect(await rejection(schedules.get(schedule.id))).toMatchObject({ code: 'not_found' });
});

it('a file can be uploaded, read, listed, linked and deleted, and a link to an artifact needs one', async () => {
  const { files, jobs } = at.client;
  const options = { name: 'a.txt', days: 2, idempotencyKey: 'one-upload' };
  const file = await files.upload(new Blob(['text'], { type: 'text/plain' }), options);

  expect(file).toMatchObject({ name: 'a.txt', content_type: 'text/plain', size: 4 });
  expect(await files.upload('text', { ...options, contentType: 'text/plain' })).toEqual(file);
  expect(await files.get(file.id)).toEqual(file);
  expect(await files.list()).toEqual({ data: [file], nextCursor: null });
  expect(await (await files.content(file.id)).text()).toBe('text');
  const { url, expires_at } = await files.link(file.id, { expires_in: 60 });
  expect(await (await fetch(new URL(url.replace(/^.*(?=\/links)/, ''), at.api.url))).text()).toBe('text');
  expect(Date.parse(expires_at)).toBeLessThan(Date.now() + 61_000);
  const { id } = await jobs.submit('echo', {});
  expect(await rejection(jobs.artifacts.link(id, 'none'))).toMatchObject({ code: 'not_found' });
  expect(await files.delete(file.id)).toBeUndefined();
  expect((await files.list()).data).toEqual([]);
});

it('a limit can be set, listed, changed and deleted, and its keys can be read', async () => {
  const { limits } = at.session;
  const limit = await limits.set('mail', { concurrency: 2, per: 'key', types: ['send_email'] });

  expect(limit).toMatchObject({ name: 'mail', concurrency: 2 });
  expect(await limits.list()).toEqual({ data: [limit], nextCursor: null });
  expect(await limits.update('mail', { paused: true })).toMatchObject({ concurrency: 2, paused: true });
  expect(await limits.keys('mail')).toEqual([]);
  await limits.delete('mail');
  expect((await limits.list()).data).toEqual([]);
});

it('a search finds what the organization has', async () => {
  const { limits } = at.session;
  await limits.set('found-by-name', { concurrency: 1 });

  expect(await at.session.search('found by')).toMatchObject([{ kind: 'limit', id: 'found-by-name' }]);
  await limits.delete('found-by-name');
});

it('a webhook can be created, changed, tested and deleted, and its deliveries can be read and repeated', async () => {
  const { webhooks } = at.session;
  const created = await webhooks.create({ url: at.receiver.url, events: ['job.failed'] });
  expect(created.secret).toMatch(/^whsec_/);
  const { secret: _, ...webhook } = created;
  const { id } = created;

  const shown = { ...webhook, failing_since: null, last_success_at: null, failures: 0 };
  expect(await webhooks.get(id)).toEqual(shown);
  expect((await webhooks.list()).data).toEqual([shown]);
  expect(await webhooks.update(id, { description: 'mine' })).toMatchObject({ description: 'mine' });
  expect((await webhooks.rotate(id)).secret).not.toBe(created.secret);
  await webhooks.test(id);
  const [delivery] = await until('the delivery', async () => {
    const rows = await rowsOf(webhooks.allDeliveries(id, { status: 'delivered' }));
    return rows.length > 0 && rows;
  });
  expect(delivery).toMatchObject({ event: 'test.ping' });
  const detail = await webhooks.delivery(id, delivery?.id ?? '');
  expect(detail).toMatchObject({ body: { type: 'test.ping' } });
  expect(await webhooks.recover(id, { since: detail.created_at })).toMatchObject({ id });
  expect((await webhooks.deliveries(id, { status: 'failed' })).data).toEqual([]);
  expect(await webhooks.redeliver(id, detail.id)).toMatchObject({ id: detail.id });
  expect(await webhooks.delete(id)).toBeUndefined();
});

it('the secret of the organization can be read and replaced', async () => {
  const { secret } = await at.session.webhooks.organizationSecret();

  expect((await at.session.webhooks.rotateOrganizationSecret()).secret).not.toBe(secret);
});

it('an API key can be created, used, rotated, listed and revoked', async () => {
  const first = await at.session.keys.create({ name: 'second', scopes: ['jobs:read'] });
  const { id, key } = await at.session.keys.rotate(first.id, { overlap_hours: 0 });
  const second = at.clientWith({ key });

  expect((await second.jobs.list({ limit: 1 })).data).toBeInstanceOf(Array);
  await expect(second.jobs.submit('a', {})).rejects.toMatchObject({ code: 'forbidden', status: 403 });
  expect((await at.session.keys.list()).data.map(({ name }) => name)).toContain('second');
  for (const one of [id, first.id]) await at.session.keys.delete(one);
  expect((await at.session.keys.list()).data.map(({ name }) => name)).not.toContain('second');
});

it('the settings can be read and changed', async () => {
  const { alerts } = await at.session.settings.update({ alerts: { failure_rate_percent: 20 } });

  expect(alerts.failure_rate_percent).toBe(20);
  expect((await at.session.settings.get()).alerts).toEqual(alerts);
});

it('messages can be sent directly, once for each key, and their history can be read', async () => {
  const { email, sms } = at.session;
  const mail = { to: 'ada@example.com', subject: 'Hello', body: 'Hello' };
  const sent = await email.send(mail, { idempotencyKey: 'mail-1' });
  expect((await email.send(mail, { idempotencyKey: 'mail-1' })).id).toBe(sent.id);
  const text = await sms.send({ to: '+254700000001', message: 'Hello' });

  expect(await email.get(sent.id)).toMatchObject({ subject: 'Hello' });
  expect(await rowsOf(email.all())).toHaveLength(1);
  expect(await sms.get(text.id)).toMatchObject({ message: 'Hello', segments: 1 });
  expect((await rowsOf(sms.all())).map(({ id }) => id)).toContain(text.id);
});

it('a session begins with an email address and a password, and ends with a logout', async () => {
  const { email, password, orgId } = at.person;
  const { url } = at.proxy;
  const { token } = await new Jobline({ url }).auth.login({ email, password });
  const session = new Jobline({ url, token });

  expect((await session.auth.me()).org.id).toBe(orgId);
  expect(await session.auth.logout()).toBeUndefined();
  expect(await rejection(new Jobline({ url }).auth.login({ email, password: 'wrong password' }))).toMatchObject({
    code: 'invalid_credentials',
  });
});

it('every operation of the API document can be called by its id', async () => {
  const template = { name: 'welcome', kind: 'sms', body: 'Hello {{ name }}' } as const;
  const { id } = await at.session.call('createTemplate', { body: template });
  const input = { path: { id }, body: { data: { name: 'Ada' } } };

  expect((await at.session.call('previewTemplate', input)).body).toBe('Hello Ada');
  expect(await at.session.call('deleteTemplate', { path: { id } })).toBeUndefined();
});

it('a response without a body resolves with nothing', async () => {
  const { email } = at.person;

  expect(await at.session.call('forgotPassword', { body: { email } })).toBeUndefined();
});

it('any list can be read page by page by the name of its operation', async () => {
  for (const domain of ['a.example.com', 'b.example.com']) await at.session.call('createDomain', { body: { domain } });
  const first = await at.session.page('listDomains', { query: { limit: 1 } });
  const cursor = first.nextCursor ?? '';
  const second = await at.session.page('listDomains', { query: { limit: 1, cursor } });

  const domains = [...first.data, ...second.data].map(({ domain }) => domain);
  expect(domains.toSorted()).toEqual(['a.example.com', 'b.example.com']);
  expect([cursor !== '', second.nextCursor]).toEqual([true, null]);
});
