import { countRetryable, listDueForRedaction } from '@jobline/db/job-transitions';
import { createTakeFeedback } from '@jobline/messaging';
import { newId, silentLogger } from '@jobline/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { submitJob, until } from '../harness/index.js';
import { createRedactingWorld, type RedactingWorld } from './redacting-world.js';

const PAGE = { lagMs: 600_000, limit: 200, searchedBytes: 4 * 1024 ** 2, bytes: 1024 ** 2 };

let world: RedactingWorld;

beforeEach(async () => {
  world = await createRedactingWorld();
});
afterEach(() => world.end());

async function nextKeys(keys: string[], page = PAGE): Promise<string[]> {
  const { jobs } = await listDueForRedaction(world.db, { orgId: world.orgId, keys }, page);
  return jobs.map(({ key }) => key);
}

describe('redaction in the database', () => {
  it('deletes the values of every job of which some must be redacted, and changes no other', async () => {
    const many = Array.from({ length: 450 }, (_, n) => (n % 3 === 0 ? { card: n, n } : { n }));
    await world.endedJobs(many);
    await world.redact(['card']);
    await world.worker();
    await until('the jobs to be redacted', async () => (await world.countRedacted()) === 150);

    const expected = many.map((payload) => ('card' in payload ? { ...payload, card: '[redacted]' } : payload));
    expect(await world.storedPayloads()).toEqual(expected);
  });

  it('values stay deleted, and the job stays redacted, when the organization redacts nothing any more', async () => {
    await world.endedJobs([{ card: 1 }]);
    await world.redact(['card']);
    await world.worker();
    await until('the job to be redacted', async () => (await world.countRedacted()) === 1);
    await world.redact([]);

    expect((await world.person.get('/jobs/job-1')).body.payload).toEqual({ card: '[redacted]' });
    expect((await world.person.post('/jobs/job-1/retry')).status).toBe(409);
    expect((await world.person.post('/jobs/job-1/rerun')).status).toBe(409);
  });

  it('examines all jobs again when the organization chooses other keys', async () => {
    await world.endedJobs([{ card: 1, pin: 2 }, { pin: 3 }]);
    await world.redact(['card']);
    const worker = await world.worker();
    await until('a job to be redacted', async () => (await world.countRedacted()) === 1);
    await worker.stop();
    await until('the position to be stored', async () => (await nextKeys(['card'])).length === 0);

    await world.redact(['card'], 1);
    expect(await nextKeys(['card'])).toEqual([]);
    await world.redact(['pin']);
    await world.worker();
    await until('both to be redacted', async () => (await world.countRedacted()) === 2);
    expect(await world.storedPayloads()).toEqual([{ card: '[redacted]', pin: '[redacted]' }, { pin: '[redacted]' }]);
  });

  it('leaves jobs that finished a moment ago for later, because others may be committed that finished before', async () => {
    const [old = ''] = await world.endedJobs([{ card: 1 }], 0.2);
    await world.redact(['card']);
    const id = await submitJob(world.person, 'custom', { card: 2 });
    await world.person.post(`/jobs/${id}/cancel`);

    expect(await nextKeys(['card'])).toEqual([old]);
    await world.redact(['card'], 1);
    expect(await nextKeys(['card'])).toEqual([]);
  });

  it('reads a limited number of jobs and of bytes at a time, but at least one job', async () => {
    const keys = await world.endedJobs([
      { card: 'x'.repeat(5_000) },
      { n: 'x'.repeat(9_000) },
      { card: 1 },
      { card: 2 },
    ]);
    await world.redact(['card']);

    expect(await nextKeys(['card'], { ...PAGE, limit: 3 })).toEqual(keys.slice(0, 3));
    expect(await nextKeys(['card'], { ...PAGE, bytes: 100 })).toEqual(keys.slice(0, 1));
    expect(await nextKeys(['card'], { ...PAGE, searchedBytes: 100 })).toEqual(keys.slice(0, 1));
    expect(await nextKeys(['card'], { ...PAGE, bytes: 5_030 })).toEqual(keys);
    expect(await nextKeys(['other'])).toEqual([]);
  });

  it('a bulk retry examines a limited number of bytes at a time, but at least one job, if the organization redacts', async () => {
    const keys = await world.endedJobs([{ n: 'x'.repeat(700_000) }, { n: 'x'.repeat(700_000) }, { n: 1 }]);
    expect(await countRetryable(world.db, world.orgId, keys)).toBe(3);

    await world.redact(['card']);
    expect(await countRetryable(world.db, world.orgId, keys)).toBe(1);
    expect(await countRetryable(world.db, world.orgId, keys.slice(1))).toBe(2);
    const { body } = await world.person.post('/jobs/bulk', { action: 'retry', filter: { status: 'failed' } });
    await until('the bulk action to end', async () => {
      const bulk = (await world.person.get(`/jobs/bulk/${body.id}`)).body;
      return bulk.status === 'done' && bulk.done === 3;
    });
  });

  it('redacts what messages, payments and events have of the values, and nothing else of them', async () => {
    const payload = {
      to: 'ada@example.com',
      template: 't',
      phone: '254700000001',
      amount: 7,
      ref: 'R1',
      data: { n: 1 },
    };
    const [key = ''] = await world.endedJobs([payload]);
    const at = new Date();
    const times = { createdAt: at, updatedAt: at };
    const texts = { recipient: payload.to, sender: 's@example.com', subject: 'Hi', body: 'Text' };
    await world.db.message.create({
      data: {
        id: key,
        orgId: world.orgId,
        channel: 'email',
        provider: 'x',
        ...texts,
        jobKey: key,
        calledAt: at,
        ...times,
      },
    });
    const { phone, amount, ref } = payload;
    await world.db.payment.create({
      data: {
        id: key,
        orgId: world.orgId,
        jobKey: key,
        provider: 'x',
        phone,
        amount,
        ref,
        status: 'prompted',
        updatedAt: at,
      },
    });
    const event = { orgId: world.orgId, jobKey: key, isPlanned: true, createdAt: at };
    const message = { ...event, type: 'message.sent', data: { id: key, to: payload.to, from: texts.sender } };
    const { id: eventId } = await world.db.webhookEvent.create({ data: message });
    await world.redact(['to', 'amount', 'id']);
    await world.worker();
    await until('the job to be redacted', async () => (await world.countRedacted()) === 1);

    expect(await world.db.message.findFirst({ where: { id: key } })).toMatchObject({
      recipient: '[redacted]',
      sender: texts.sender,
      // A template may contain any value.
      subject: '[redacted]',
      body: '[redacted]',
    });
    expect(await world.db.payment.findFirst({ where: { id: key } })).toMatchObject({ phone, amount: null, ref });
    expect(await world.db.webhookEvent.findFirst({ where: { id: eventId } })).toMatchObject({
      data: { id: key, to: '[redacted]', from: texts.sender },
    });
  });
});

describe('reports that arrive after the redaction of a job', () => {
  const at = new Date();

  it('events have no redacted values, before and after these are deleted in the database', async () => {
    await world.person.post('/org/webhooks', { url: 'https://example.com/', events: ['*'] });
    const [first = '', second = ''] = await world.endedJobs([
      { amount: 7, ref: 'R1' },
      { amount: 8, ref: 'R2' },
    ]);
    for (const [id, amount, ref] of [
      [first, 7, 'R1'],
      [second, 8, 'R2'],
    ] as const) {
      await world.db.payment.create({
        data: {
          id,
          orgId: world.orgId,
          jobKey: id,
          provider: 'x',
          phone: '1',
          amount,
          ref,
          status: 'prompted',
          updatedAt: at,
        },
      });
    }
    await world.redact(['amount', 'status']);
    const pay = (id: string) => world.db.payment.update({ where: { id }, data: { status: 'paid' } });
    await pay(first);
    await world.worker();
    await until('the jobs to be redacted', async () => (await world.countRedacted()) === 2);
    await pay(second);

    const events = await world.db.webhookEvent.findMany({
      where: { type: 'payment.paid' },
      orderBy: { createdAt: 'asc' },
    });
    expect(events.map(({ data }) => data)).toMatchObject([
      { id: first, status: 'paid', amount: '[redacted]', ref: 'R1' },
      { id: second, status: 'paid', amount: '[redacted]', ref: 'R2' },
    ]);
  });

  it('a bounce suppresses no redacted recipient', async () => {
    const message = {
      orgId: world.orgId,
      channel: 'email',
      provider: 'sendgrid',
      body: '',
      calledAt: at,
      createdAt: at,
      updatedAt: at,
    } as const;
    const ids = { '[redacted]': newId(), 'ada@example.com': newId() };
    for (const [recipient, id] of Object.entries(ids))
      await world.db.message.create({ data: { ...message, id, recipient } });
    const report = {
      providerMessageId: null,
      kind: 'bounce',
      status: 'bounced',
      reason: null,
      suppresses: 'bounce',
      occurredAt: at,
    } as const;
    await createTakeFeedback({ db: world.db, log: silentLogger })(
      'sendgrid',
      Object.values(ids).map((messageId) => ({ ...report, eventId: messageId, messageId })),
    );

    expect(await world.db.message.count({ where: { status: 'bounced' } })).toBe(2);
    expect(await world.db.suppression.findMany()).toMatchObject([{ address: 'ada@example.com' }]);
  });
});
