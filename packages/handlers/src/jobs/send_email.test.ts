import { describe, expect, it } from 'vitest';
import { ProviderFailure } from '../errors.js';
import type { Compose, EmailRequest, Messages } from '../ports/index.js';
import { runHandler } from '../testing.js';
import { sendEmail } from './send_email.js';

const EMAIL = { to: 'ada@example.com', subject: 'Hello', body: 'Hi' };
const issues = (payload: object) =>
  sendEmail.payload?.validate(payload, { abortEarly: false }).error?.details.map(({ path }) => path.join('.')) ?? [];

/** Returns every draft unchanged, or a failure if `refuses` is set. */
function composes(refuses = false): Compose {
  return {
    email: async (_orgId, { from = null, subject = '', body = '' }) =>
      refuses
        ? { failure: { code: 'sender_domain_not_verified', details: [{ path: 'payload.from', message: 'not yours' }] } }
        : { message: { from, subject, body } },
    sms: () => Promise.reject(new Error('an email is not an SMS')),
  };
}

function sends(provider: string, emails: EmailRequest[] = []): Messages {
  return {
    async sendEmail(email) {
      emails.push(email);
      return { messageId: 'm-1', providerMessageId: provider === 'sandbox' ? null : 'p-1', provider, segments: 1 };
    },
    sendSms: () => Promise.reject(new Error('an email is not an SMS')),
  };
}

describe('send_email', () => {
  it('sends the composed email and returns its ids', async () => {
    const emails: EmailRequest[] = [];

    const { result, logs } = await runHandler(sendEmail, EMAIL, {
      ports: { compose: composes(), messages: sends('sendgrid', emails) },
    });

    expect(result).toEqual({ provider: 'sendgrid', message_id: 'm-1', provider_message_id: 'p-1' });
    expect(emails).toEqual([{ ...EMAIL, from: null }]);
    expect(logs).toEqual([{ level: 'info', message: 'sendgrid accepted the email as p-1' }]);
  });

  it('logs that the sandbox sent nothing', async () => {
    const { logs } = await runHandler(sendEmail, EMAIL, { ports: { compose: composes(), messages: sends('sandbox') } });

    expect(logs[0]?.message).toMatch(/sandbox.*not sent/);
  });

  it('fails permanently for a sender of another organization', async () => {
    const run = runHandler(sendEmail, { ...EMAIL, from: 'ceo@bank.example' }, { ports: { compose: composes(true) } });

    await expect(run).rejects.toMatchObject({ name: 'PermanentError', code: 'sender_domain_not_verified' });
  });

  it('fails with the error of the provider', async () => {
    const messages = {
      ...sends('x'),
      sendEmail: () => Promise.reject(new ProviderFailure('rejected', 'no such mailbox')),
    };

    const run = runHandler(sendEmail, EMAIL, { ports: { compose: composes(), messages } });

    await expect(run).rejects.toMatchObject({ code: 'provider_rejected', message: 'no such mailbox' });
  });
});

describe('the payload of send_email', () => {
  it('has a recipient, and either a subject and a body or a template', () => {
    expect(issues(EMAIL)).toEqual([]);
    expect(issues({ to: EMAIL.to, template: 'welcome', data: { name: 'Ada' } })).toEqual([]);
    expect(issues({}).sort()).toEqual(['body', 'subject', 'to']);
    expect(issues({ ...EMAIL, template: 'welcome' }).sort()).toEqual(['body', 'subject']);
  });

  it.each([
    '',
    'ada',
    'ada@',
    'a@b.example, c@d.example',
    'Ada <ada@example.com>',
    'ada@example.com\r\nBcc: x@y.example',
  ])('must have one plain address as recipient: %j is invalid', (to) => {
    expect(issues({ ...EMAIL, to })).toContain('to');
  });

  it.each(['a\r\nBcc: x@example.com', 'a\nb', 'a\u0000b', 'a\u2028b', ''])(
    'has a subject of one line: %j is none',
    (subject) => {
      expect(issues({ ...EMAIL, subject })).toContain('subject');
    },
  );

  it('has a body that the database can store', () => {
    expect(issues({ ...EMAIL, body: 'a\r\n\tb 😀' })).toEqual([]);
    expect(issues({ ...EMAIL, body: 'a\u0000' })).toEqual(['body']);
    expect(issues({ ...EMAIL, body: 'a\ud800' })).toEqual(['body']);
  });
});
