import type { JobKey, OrgId } from '@jobline/contracts';
import { createMessages } from '@jobline/messaging';
import { chatProviders, emailProviders, smsProviders } from '@jobline/providers';
import { newId, silentLogger } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, type Receiver, register, type World } from '../harness/index.js';
import { sendgridAt, takesEmail } from './support.js';

let world: World;
let person: Person;
let provider: Receiver;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  provider = await world.receiver(takesEmail);
});
afterAll(() => world.end());

const EMAIL = { to: 'ada@example.com', from: null, replyTo: null, subject: 'Hello', texts: { body: 'Hi' } };

/** A job that is running its second attempt. */
async function runningJob(): Promise<JobKey> {
  const key = newId() as JobKey; // a new id, so the cast is safe
  const now = new Date();
  const times = { runAt: now, createdAt: now, updatedAt: now };
  await world.db.job.create({
    data: {
      key,
      orgId: person.orgId,
      id: key,
      type: 'send_email',
      queue: 'io',
      payload: {},
      status: 'processing',
      attempt: 2,
      ...times,
    },
  });
  return key;
}

function send(idempotencyKey: JobKey, attempt: number, orgId = person.orgId, signal = new AbortController().signal) {
  const context = { log: silentLogger };
  const env = sendgridAt(provider.url);
  const messages = createMessages({
    db: world.db,
    chat: chatProviders.open(env, context),
    email: emailProviders.open(env, context),
    sms: smsProviders.open(env, context),
    readEmailTexts: async () => ({ html: null, text: 'Hi' }),
  });
  // The cast: the API returned it as the id of an organization.
  return messages.sendEmail(EMAIL, { idempotencyKey, attempt, orgId: orgId as OrgId, signal, log: () => undefined });
}

it('an outdated attempt sends nothing', async () => {
  const key = await runningJob();
  provider.received.length = 0;

  await expect(send(key, 1)).rejects.toThrow('lost its claim on this job');
  await expect(send(key, 2, newId())).rejects.toThrow('lost its claim on this job');

  expect(provider.received).toHaveLength(0);
  expect(await world.db.message.count({ where: { jobKey: key } })).toBe(0);
});

it('only one of several concurrent calls of an attempt sends', async () => {
  const key = await runningJob();
  provider.received.length = 0;

  const ends = await Promise.allSettled(Array.from({ length: 10 }, () => send(key, 2)));

  expect(provider.received).toHaveLength(1);
  expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
  expect(await send(key, 2)).toMatchObject({ providerMessageId: 'sg-1' });
  expect(provider.received).toHaveLength(1);
});

it('an attempt whose signal is aborted starts no call', async () => {
  const key = await runningJob();
  provider.received.length = 0;

  await expect(send(key, 2, person.orgId, AbortSignal.abort(new Error('time is over')))).rejects.toThrow(
    'time is over',
  );

  expect(provider.received).toHaveLength(0);
  expect(await world.db.message.count({ where: { jobKey: key } })).toBe(0);
});
