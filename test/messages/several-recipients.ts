import { randomUUID } from 'node:crypto';
import type { JobKey, OrgId } from '@jobline/contracts';
import type { EmailRequest } from '@jobline/handlers';
import { createMessages } from '@jobline/messaging';
import { chatProviders, emailProviders, smsProviders } from '@jobline/providers';
import { newId, silentLogger } from '@jobline/runtime';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../harness/index.js';
import { closeAll } from '../providers/receivers.js';
import { smtpStandIn } from '../providers/smtp-stand-in.js';
import { CALLBACKS } from './support.js';

/** Emails to several recipients, as jobs and direct requests send them. */

export const EMAIL: EmailRequest = {
  to: 'Ada@example.com',
  cc: ['bob@example.com', 'Cy@Bücher.example'],
  bcc: ['dot@example.com'],
  from: null,
  replyTo: 'Help <help@example.com>',
  subject: 'Hello',
  texts: { html: '<p>Hello</p>' },
};
/** The recipients as the mail server shows them: it decodes their domains. */
export const ALL = ['Ada@example.com', 'bob@example.com', 'Cy@bücher.example', 'dot@example.com'];

export function smtpAt({ port }: { port: number }): Record<string, string> {
  return {
    EMAIL_PROVIDER: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(port),
    EMAIL_SMTP_TLS: 'none',
    EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>',
  };
}

/** A mail server that refuses recipients. `refuse` is called for each of them. */
export function smtpThat(refuse: (address: string) => Error | undefined, more: SMTPServerOptions = {}) {
  return smtpStandIn({ ...more, onRcptTo: ({ address }, _session, done) => done(refuse(address)) });
}

interface Sending {
  attempt?: number;
  email?: Partial<EmailRequest>;
  pausesMs?: readonly number[];
  signal?: AbortSignal;
}

type Entry = Record<'id' | 'to' | 'status' | 'job_id' | 'provider_message_id', string> & {
  copied_as: string | null;
  error: { code: string; message: string } | null;
};

export type Emails = ReturnType<typeof useEmails>;

export function useEmails() {
  let world: World;
  let api: TestApi;
  let person: Person;
  /** What the jobs have logged. */
  let lines: string[];

  beforeAll(async () => {
    world = await createWorld();
    api = await world.api({ settings: { callbacks: CALLBACKS } });
  });
  afterAll(() => world.end());
  beforeEach(async () => {
    person = await register(api.call);
    lines = [];
  });
  afterEach(closeAll);

  function sendDeps(env: Record<string, string>, copyPausesMs: readonly number[]) {
    const context = { log: silentLogger };
    return {
      db: world.db,
      chat: chatProviders.open(env, context),
      email: emailProviders.open(env, context),
      sms: smsProviders.open(env, context),
      readEmailTexts: async () => ({ html: '<p>Hello</p>', text: 'Hello' }),
      copyPausesMs,
    };
  }

  /** A job that is running an attempt. */
  async function runningJob(): Promise<JobKey> {
    const key = newId() as JobKey; // a new id, so the cast is safe
    const now = new Date();
    const times = { runAt: now, createdAt: now, updatedAt: now };
    const job = { key, orgId: person.orgId, id: key, type: 'send_email', queue: 'io', payload: {} };
    await world.db.job.create({ data: { ...job, status: 'processing', attempt: 1, ...times } });
    return key;
  }

  /** The worker has died, and the next attempt begins. */
  async function beginAttempt(key: JobKey, attempt: number): Promise<void> {
    await world.db.job.update({ where: { key }, data: { attempt } });
  }

  function send(key: JobKey, env: Record<string, string>, sending: Sending = {}) {
    const { attempt = 1, email = {}, pausesMs = [1, 1, 1], signal = new AbortController().signal } = sending;
    const log = (level: string, message: string) => void lines.push(`${level} ${message}`);
    // The cast: the API returned it as the id of an organization.
    const run = { idempotencyKey: key, attempt, orgId: person.orgId as OrgId, signal, log };
    return createMessages(sendDeps(env, pausesMs)).sendEmail({ ...EMAIL, ...email }, run);
  }

  /** The history by the first names of the recipients. */
  async function history(): Promise<Record<string, Entry>> {
    const { body } = await person.get('/email/messages');
    return Object.fromEntries(body.map((entry: Entry) => [entry.to.toLowerCase().split('@')[0] ?? '', entry]));
  }

  async function statuses(): Promise<Record<string, string>> {
    return Object.fromEntries(Object.entries(await history()).map(([name, { status }]) => [name, status]));
  }

  async function suppress(address: string): Promise<void> {
    await world.db.suppression.create({
      data: { orgId: person.orgId, address, reason: 'bounce', messageId: randomUUID(), createdAt: new Date() },
    });
  }

  return {
    world: () => world,
    api: () => api,
    person: () => person,
    lines: () => lines,
    ...{ sendDeps, runningJob, beginAttempt, send, history, statuses, suppress },
  };
}
