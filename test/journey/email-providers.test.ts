import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';
import { sendgridAt } from '../messages/support.js';
import { closeAll } from '../providers/receivers.js';
import { reply, smtpStandIn } from '../providers/smtp-stand-in.js';

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(async () => {
  await world.end();
  await closeAll();
});

const EMAIL = { to: 'ada@example.com', subject: 'Hello', body: 'Hi' };

it('an email that a mail server defers arrives at the retry, under the same id', async () => {
  const server = await smtpStandIn();
  const replies = [reply(451, '4.7.1 greylisted'), undefined];
  server.decide = () => replies.shift();
  await world.worker({
    providers: {
      EMAIL_PROVIDER: 'smtp',
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_SMTP_PORT: String(server.port),
      EMAIL_SMTP_TLS: 'none',
      EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>',
    },
  });

  const story = await runToEnd(person, 'send_email', EMAIL, { max_retries: 1 });

  const { message_id, provider_message_id } = story.result.result;
  expect(provider_message_id).toBe(`<${message_id}@acme.example>`);
  expect(server.offered).toBe(2);
  expect(server.mails).toMatchObject([
    {
      envelope: { from: 'hello@acme.example', to: ['ada@example.com'] },
      mail: { subject: 'Hello', messageId: provider_message_id, from: { name: 'Acme' } },
    },
  ]);
  expect(linesOf(story).join('\n')).toContain('4.7.1 greylisted');
});

it('a retry waits as long as the provider asks, although the backoff is shorter', async () => {
  const provider = await world.receiver(() => ({ status: 429, headers: { 'retry-after': '600' } }));
  await world.worker({ providers: sendgridAt(provider.url), retryBaseMs: 20 });

  const submitted = Date.now();
  const id = await submitJob(person, 'send_email', EMAIL, { max_retries: 3 });
  const { body } = await until('the first failure', async () => {
    const result = await person.get(`/jobs/${id}/result`);
    return result.body.error && result;
  });

  expect(body).toMatchObject({ status: 'pending', error: { code: 'provider_unavailable' } });
  expect(Date.parse(body.run_at) - submitted).toBeGreaterThan(590_000);
  expect(provider.received).toHaveLength(1);
});
