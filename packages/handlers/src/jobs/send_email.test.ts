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
    email: async (_orgId, { from = null, subject = '', body }) =>
      refuses
        ? { failure: { code: 'sender_domain_not_verified', details: [{ path: 'payload.from', message: 'not yours' }] } }
        : { message: { from, replyTo: null, subject, texts: { body } } },
    sms: () => Promise.reject(new Error('an email is not an SMS')),
    unknownSecrets: async () => [],
  };
}

function sends(provider: string, emails: EmailRequest[] = []): Messages {
  return {
    async sendEmail(email) {
      emails.push(email);
      return { messageId: 'm-1', providerMessageId: provider === 'sandbox' ? null : 'p-1', provider, segments: 1 };
    },
    sendChat: () => Promise.reject(new Error('an email is not a chat message')),
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
    const { to, subject, body } = EMAIL;
    expect(emails).toEqual([{ to, from: null, replyTo: null, subject, texts: { body }, attachments: [] }]);
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

  it('has HTML, text or both instead of a body', () => {
    const { body: _, ...rest } = EMAIL;
    const html = '<p>Hi</p>';
    expect([{ html }, { text: 'Hi' }, { html, text: 'Hi' }].flatMap((texts) => issues({ ...rest, ...texts }))).toEqual(
      [],
    );
    expect(issues(rest)).toEqual(['body']);
    expect(issues({ ...EMAIL, html })).toEqual(['body']);
    expect(issues({ ...EMAIL, text: 'Hi' })).toEqual(['body']);
    expect(issues({ ...rest, html: '' })).toEqual(['html']);
    expect(issues({ ...rest, text: 'a\u0000' })).toEqual(['text']);
    expect(issues({ to: EMAIL.to, template: 'welcome', html }).sort()).toEqual(['html']);
  });

  it('has at most 50 addresses, none of them twice in any field, case or script', () => {
    const many = (count: number, at: string) => Array.from({ length: count }, (_, n) => `user${n}@${at}.example`);
    expect(issues({ ...EMAIL, cc: many(20, 'a'), bcc: many(29, 'b') })).toEqual([]);
    expect(issues({ ...EMAIL, cc: many(20, 'a'), bcc: many(30, 'b') })).toEqual(['bcc']);
    expect(issues({ ...EMAIL, cc: many(50, 'a') })).toEqual(['cc']);
    expect(issues({ ...EMAIL, cc: ['ADA@Example.com'] })).toEqual(['cc']);
    expect(issues({ ...EMAIL, cc: ['x@bücher.example'], bcc: ['X@xn--bcher-kva.example'] })).toEqual(['bcc']);
    expect(issues({ ...EMAIL, bcc: ['x@a.example', 'y@a.example', 'x@A.example'] })).toEqual(['bcc']);
    expect(
      issues({ ...EMAIL, cc: ['Bob <bob@example.com>', 7, 'a@b.example\r\nX: y'], bcc: 'bob@example.com' }),
    ).toEqual(['cc.0', 'cc.1', 'cc.2', 'bcc']);
  });

  it.each<[string, string]>([
    ['List-Unsubscribe', '<mailto:u@example.com>, <https://example.com/u>'],
    ['list-unsubscribe-post', 'List-Unsubscribe=One-Click'],
    ['In-Reply-To', '<a@example.com>'],
    ['References', `<${'a'.repeat(964)}@example.com>`],
    ['X-Campaign', 'Frühling 🌷'],
    ['x-a.b_c', 'd'],
  ])('may have the header %s: %s', (name, value) => {
    expect(issues({ ...EMAIL, headers: { [name]: value } })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['Bcc', 'eve@example.com'],
    ['Content-Type', 'text/html'],
    ['X-', 'empty'],
    ['X-A: b\r\nBcc', 'eve@example.com'],
    ['X-Ä', 'b'],
    ['X-SMTPAPI', '{"to":["eve@example.com"]}'],
    ['x-mc-bccaddress', 'eve@example.com'],
    ['X-A', 'b\r\nBcc: eve@example.com'],
    ['X-A', 'b\u2028c'],
    ['X-A', '\ud800'],
    ['X-A', ' '],
    ['X-A', 7],
    ['List-Unsubscribe', '<https://bücher.example/u>'],
    ['References', `<${'a'.repeat(965)}@example.com>`],
  ])('cannot have the header %j: %j', (name, value) => {
    expect(issues({ ...EMAIL, headers: { [name]: value } })).toEqual(['headers']);
  });

  it('has at most ten headers, each once in any case', () => {
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'a']));
    expect(issues({ ...EMAIL, headers: headers(10) })).toEqual([]);
    expect(issues({ ...EMAIL, headers: headers(11) })).toEqual(['headers']);
    expect(issues({ ...EMAIL, headers: { 'X-A': 'b', 'x-a': 'c' } })).toEqual(['headers']);
  });

  const FILE = '01910e5c-2f3a-7000-8000-000000000001';

  it.each<[object, string[]]>([
    [{ file: FILE }, []],
    [{ job: 'made-it' }, []],
    [
      {
        job: 'made-it',
        artifact: 'a.pdf',
        filename: '請求書.pdf',
        content_type: 'text/plain; charset=utf-8',
        content_id: 'a.B_1-',
      },
      [],
    ],
    [{}, ['attachments.0.job']],
    [{ file: FILE, job: 'made-it' }, ['attachments.0.job']],
    [{ file: FILE, artifact: 'a.pdf' }, ['attachments.0.artifact']],
    [{ file: FILE, url: 'https://a.example' }, ['attachments.0.url']],
    [{ file: FILE, filename: '../a' }, ['attachments.0.filename']],
    [{ file: FILE, filename: 'a\ud800.pdf' }, ['attachments.0.filename']],
    [{ file: FILE, content_type: 'text/plain\r\nX: y' }, ['attachments.0.content_type']],
    [{ file: FILE, content_id: 'a b' }, ['attachments.0.content_id']],
    [{ file: FILE, content_id: 'a'.repeat(65) }, ['attachments.0.content_id']],
  ])('has attachments with a source: %o has the issues %j', (attachment, found) => {
    expect(issues({ ...EMAIL, attachments: [attachment] })).toEqual(found);
  });

  it('has at most twenty attachments, none with the content id of another one', () => {
    const many = (count: number) => Array.from({ length: count }, () => ({ file: FILE }));
    expect(issues({ ...EMAIL, attachments: many(20) })).toEqual([]);
    expect(issues({ ...EMAIL, attachments: many(21) })).toEqual(['attachments']);
    const twice = { file: FILE, content_id: 'logo' };
    expect(issues({ ...EMAIL, attachments: [twice, twice] })).toEqual(['attachments.1']);
  });
});
