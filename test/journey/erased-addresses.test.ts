import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { finishedJob, type Person, submitJob, until } from '../harness/index.js';
import { idIn, postEvents } from '../messages/support.js';
import { ADDRESS, columnsWith, createErasingWorld, type ErasingWorld, email, erased, LATER } from './erasing-world.js';

let world: ErasingWorld;
let person: Person;

beforeAll(async () => {
  world = await createErasingWorld();
});
beforeEach(async () => {
  person = await world.person();
});
afterAll(() => world.end());

const statusOf = async (path: string) => (await person.get(path)).status;

describe('an erasure of an address', () => {
  it('leaves the address in no column of any table, and the jobs and messages are gone', async () => {
    await person.post('/org/webhooks', { url: 'https://example.com/hook', events: ['*'] });
    const done = await submitJob(person, 'send_email', email(ADDRESS.toUpperCase()), { tags: ['t'] });
    await finishedJob(person, done);
    const copied = await submitJob(person, 'send_email', email('other@example.com', { bcc: [ADDRESS] }));
    await finishedJob(person, copied);
    const pending = await submitJob(person, 'send_email', email(ADDRESS), LATER);
    const kept = await submitJob(person, 'echo', { value: 'kept' });
    await finishedJob(person, kept);
    const direct = await person.post('/email/send', email(ADDRESS));
    expect(direct.status, direct.text).toBe(200);
    expect(await columnsWith(world, ADDRESS)).toContain('messages.recipient');

    const result = await erased(person, { address: ADDRESS });

    expect(result).toMatchObject({ jobs: 3, messages: 4, files: 0, suppressions: 0, schedules: [] });
    for (const id of [done, copied, pending]) expect(await statusOf(`/jobs/${id}`)).toBe(404);
    expect(await statusOf(`/jobs/${kept}`)).toBe(200);
    expect((await person.get('/email/messages')).body).toEqual([]);
    await until('the log to be deleted', async () => (await columnsWith(world, ADDRESS)).length === 0);
    expect(JSON.stringify((await person.get('/org/audit')).body)).not.toContain(ADDRESS);
    expect((await person.get('/org/audit')).body[0]).toMatchObject({
      action: 'data.erased',
      actor: { email: person.email },
      details: { address_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  it('does not change other organizations', async () => {
    const other = await world.person();
    const theirs = await submitJob(other, 'send_email', email(ADDRESS), LATER);
    await erased(person, { address: ADDRESS });

    expect((await other.get(`/jobs/${theirs}`)).status).toBe(200);
    person = other;
    await erased(person, { address: ADDRESS });
    expect((await other.get(`/jobs/${theirs}`)).status).toBe(404);
  });

  it('drops late feedback, and answers it with 200', async () => {
    const id = await submitJob(person, 'send_email', email(ADDRESS));
    await finishedJob(person, id);
    const messageId = idIn(world.sendgrid.received.at(-1));
    await erased(person, { address: ADDRESS });
    const event = {
      event: 'bounce',
      email: ADDRESS,
      jl_message_id: messageId,
      sg_event_id: 'late-1',
      timestamp: 1_790_000_000,
      reason: `550 ${ADDRESS}`,
    };

    expect((await postEvents(world.call, [event])).status).toBe(200);
    expect(await columnsWith(world, ADDRESS)).toEqual([]);
    expect((await person.get('/org/suppressions')).body).toEqual([]);
  });

  it('keeps a suppression as a hash that refuses sends, and deletes it if that is asked for', async () => {
    await suppress(ADDRESS);
    expect((await person.post('/email/send', email(ADDRESS))).status).toBe(403);
    expect(await erased(person, { address: ADDRESS })).toMatchObject({ suppressions: 1 });

    const list = await person.get('/org/suppressions');
    expect(list.body).toMatchObject([{ address: null, reason: 'bounce' }]);
    expect(list.text).not.toContain(ADDRESS);
    expect(await columnsWith(world, ADDRESS)).toEqual([]);
    expect((await person.post('/email/send', email(ADDRESS))).body.error.code).toBe('suppressed');
    const job = await submitJob(person, 'send_email', email(ADDRESS));
    expect((await finishedJob(person, job)).result.error.code).toBe('suppressed');

    expect(await erased(person, { address: ADDRESS, suppressions: true })).toMatchObject({ suppressions: 1 });
    expect((await person.get('/org/suppressions')).body).toEqual([]);
    expect((await person.post('/email/send', email(ADDRESS))).status).toBe(200);
  });

  it('a replay of an erased direct send answers its id alone, and sends nothing', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await person.post('/email/send', email(ADDRESS), { headers });
    await erased(person, { address: ADDRESS });
    const count = world.sendgrid.received.length;
    const again = await person.post('/email/send', email(ADDRESS), { headers });

    expect(again).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(Object.keys(again.body)).toEqual(['id']);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(world.sendgrid.received.length).toBe(count);
  });

  it('pauses the schedules that name it, and lists them', async () => {
    const schedule = { name: 's', cron: '@daily', type: 'send_email', payload: email(ADDRESS) };
    const { body: named } = await person.post('/schedules', schedule);
    const { body: other } = await person.post('/schedules', {
      ...schedule,
      name: 'o',
      payload: email('bob@example.com'),
    });
    const { schedules } = (await person.post('/org/erasures', { address: ADDRESS })).body;

    expect(schedules).toEqual([named.id]);
    expect((await person.get(`/schedules/${named.id}`)).body).toMatchObject({ enabled: false, next_run_at: null });
    expect((await person.get(`/schedules/${other.id}`)).body.enabled).toBe(true);
  });

  it('deletes a file once only erased jobs have referred to it', async () => {
    const upload = await world.call('POST', '/files?name=a.txt', {
      token: person.token,
      raw: 'bytes',
      headers: { 'content-type': 'text/plain' },
    });
    const attachments = [{ file: upload.body.id }];
    const shared = [email('bob@example.com', { attachments }), email(ADDRESS, { attachments })];
    for (const payload of shared) await finishedJob(person, await submitJob(person, 'send_email', payload));

    expect(await erased(person, { address: ADDRESS })).toMatchObject({ files: 0 });
    expect(await statusOf(`/files/${upload.body.id}`)).toBe(200);
    expect(await erased(person, { address: 'bob@example.com' })).toMatchObject({ files: 1 });
    expect(await statusOf(`/files/${upload.body.id}`)).toBe(404);
  });

  it('finds payments of the phone with and without a plus', async () => {
    const payment = { phone: '254711000999', amount: 1, ref: 'r' };
    const ids = [
      await submitJob(person, 'mobile_money_stk', payment, LATER),
      await submitJob(person, 'send_sms', { to: '+254711000999', message: 'x' }, LATER),
    ];
    await erased(person, { address: '+254711000999' });

    for (const id of ids) expect(await statusOf(`/jobs/${id}`)).toBe(404);
  });
});

async function suppress(address: string): Promise<void> {
  const sent = await person.post('/email/send', email(address));
  const event = {
    event: 'bounce',
    type: 'bounce',
    email: address,
    jl_message_id: sent.body.id,
    sg_event_id: `b-${sent.body.id}`,
    timestamp: 1_790_000_000,
    reason: '550',
  };
  expect((await postEvents(world.call, [event])).status).toBe(200);
  await until('the suppression', async () => (await person.get('/org/suppressions')).body.length === 1);
}
