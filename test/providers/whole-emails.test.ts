import type { EmailAttachment } from '@jobline/handlers';
import { siblingId } from '@jobline/runtime';
import PostalMime, { decodeWords } from 'postal-mime';
import { afterEach, describe, expect, test } from 'vitest';
import { ID, open, send } from './email-sample.js';
import { httpStandIn } from './http-stand-in.js';
import { closeAll } from './receivers.js';
import { smtpStandIn } from './smtp-stand-in.js';

afterEach(closeAll);

const EVERY_BYTE = Uint8Array.from({ length: 1_024 }, (_, n) => n % 256);
const LINES = Buffer.from('a\nb\r\nc\rd \t\n.\n..\r\nFrom x\n\xff\0\n', 'latin1');
/** As long as names may be, in scripts whose encoded form is much longer. */
const NAMES = [
  '請求書'.repeat(41),
  'فاتورة رقم ٤٢ للعميل'.repeat(6),
  '📎'.repeat(64),
  'a"b;c=d\\e, (f) <g>.pdf',
  "100%'s café.txt",
  'plain.txt',
];

const attachment = (more: Partial<EmailAttachment> = {}): EmailAttachment => ({
  filename: 'a.bin',
  contentType: 'application/octet-stream',
  contentId: null,
  bytes: EVERY_BYTE,
  ...more,
});

const HTML = { html: '<p>Hi <img src="cid:logo.1"></p>', text: 'Hi' };
const HEADERS = {
  'List-Unsubscribe': `<https://example.com/${'u'.repeat(950)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  'In-Reply-To': '<one@example.com>',
  References: `<${'r'.repeat(964)}@example.com>`,
  'X-Campaign': `Frühling 🌷 ${'wörter '.repeat(60)}`.trim(),
};

describe('smtp', () => {
  const settings = (port: number) => ({
    EMAIL_PROVIDER: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: port,
    EMAIL_SMTP_TLS: 'none',
  });

  /** The bytes as they arrive, without the decoding of the stand-in. */
  async function received(email: Parameters<typeof send>[1]) {
    const { port, mails } = await smtpStandIn();
    await send(settings(port), email);
    const [mail] = mails;
    if (!mail) throw new Error('no mail arrived');
    expect(mail.raw.split('\r\n').filter((line) => line.length > 998)).toEqual([]);
    return mail;
  }

  test.each([
    ['application/octet-stream', EVERY_BYTE],
    ['text/plain', LINES],
    ['text/plain; charset=utf-16', EVERY_BYTE],
    ['text/html', LINES],
    ['text/calendar', LINES],
    ['image/png', EVERY_BYTE],
    ['message/rfc822', Buffer.from('Subject: inner\r\n\r\nbody\n\xe4', 'latin1')],
    ['multipart/mixed', LINES],
    ['application/x-empty', new Uint8Array(0)],
  ])('gets an attachment of type %s byte for byte', async (contentType, bytes) => {
    const { mail, raw } = await received({ attachments: [attachment({ contentType, bytes })] });

    expect(mail.attachments.map(({ filename, disposition }) => [filename, disposition])).toEqual([
      ['a.bin', 'attachment'],
    ]);
    // Not as it was parsed: the parser converts calendars.
    const [, base64 = ''] = /filename=a\.bin[\s\S]*?\r\n\r\n([^-]*)/.exec(raw) ?? [];
    expect(Buffer.from(base64, 'base64')).toEqual(Buffer.from(bytes));
  });

  test('gets only the bytes of a part of a buffer', async () => {
    const { mail } = await received({ attachments: [attachment({ bytes: EVERY_BYTE.subarray(10, 20) })] });

    // The cast: as above.
    expect([...new Uint8Array(mail.attachments[0]?.content as ArrayBuffer)]).toEqual([...EVERY_BYTE.subarray(10, 20)]);
  });

  test.each(NAMES)('gets the name %s of an attachment', async (filename) => {
    const { mail } = await received({ attachments: [attachment({ filename })] });

    expect(mail.attachments.map((one) => one.filename)).toEqual([filename]);
  });

  test('gets twenty attachments in their order, of which those with an id are inline in the HTML', async () => {
    const attachments = Array.from({ length: 20 }, (_, n) =>
      attachment({ filename: `${n}.png`, contentType: 'image/png', contentId: n < 2 ? `logo.${n}` : null }),
    );

    const { mail, raw } = await received({ content: HTML, attachments });

    expect(raw).toMatch(/multipart\/mixed[\s\S]*multipart\/alternative[\s\S]*multipart\/related/);
    expect(mail.attachments.map(({ filename, disposition, contentId }) => [filename, disposition, contentId])).toEqual(
      attachments.map(({ filename, contentId }) =>
        contentId === null ? [filename, 'attachment', undefined] : [filename, 'inline', `<${contentId}>`],
      ),
    );
    expect(mail.html?.trim()).toBe(HTML.html);
  });

  test('gets an attachment with an id without HTML', async () => {
    const { mail } = await received({ attachments: [attachment({ contentId: 'logo' })] });

    expect(mail.attachments.map(({ filename }) => filename)).toEqual(['a.bin']);
  });

  test('gets headers in one unfolded line each, and other scripts as encoded words', async () => {
    const { mail, raw } = await received({ headers: HEADERS });

    const { 'X-Campaign': campaign, ...structured } = HEADERS;
    for (const [name, value] of Object.entries(structured)) expect(raw).toContain(`\r\n${name}: ${value}\r\n`.slice(2));
    expect(raw).toMatch(/^X-Campaign: =\?UTF-8\?/m);
    expect(decodeWords(mail.headers.find(({ key }) => key === 'x-campaign')?.value ?? '')).toBe(campaign);
    expect(mail).toMatchObject({ subject: 'Grüße, Ada', messageId: `<${ID}@acme.example>` });
  });

  test('sends only the copies that are asked for, and the email is the same', async () => {
    const { port, mails } = await smtpStandIn();
    const copies = [
      { id: siblingId(ID, 'bob@example.org'), to: 'bob@example.org', kind: 'cc' as const },
      { id: siblingId(ID, 'cy@example.org'), to: 'cy@example.org', kind: 'bcc' as const },
    ];

    await send(settings(port), { copies });
    await send(settings(port), { copies, only: new Set([copies[1]?.id ?? '']) });

    expect(mails.map(({ envelope }) => envelope.to)).toEqual([
      ['ada@example.org', 'bob@example.org', 'cy@example.org'],
      ['cy@example.org'],
    ]);
    const parsed = await Promise.all(mails.map(({ raw }) => PostalMime.parse(raw)));
    expect(parsed.map(({ to, cc, messageId }) => [to?.[0]?.address, cc?.[0]?.address, messageId])).toEqual(
      Array(2).fill(['ada@example.org', 'bob@example.org', `<${ID}@acme.example>`]),
    );
  });
});

describe('sendgrid', () => {
  const settings = (url: string) => ({ EMAIL_PROVIDER: 'sendgrid', EMAIL_API_KEY: 'SG.key', EMAIL_BASE_URL: url });

  test('gets copies, an address for replies, headers and attachments in the form of its API', async () => {
    const { url, requests } = await httpStandIn({ status: 202 });
    const logo = attachment({ filename: NAMES[0] ?? '', contentType: 'image/png', contentId: 'logo.1' });

    await send(settings(url), {
      content: HTML,
      replyTo: '"Hilfe, Ü" <hilfe@bücher.example>',
      copies: [
        { id: 'a', to: 'bob@bücher.example', kind: 'cc' },
        { id: 'b', to: 'cy@example.org', kind: 'bcc' },
      ],
      headers: HEADERS,
      attachments: [attachment({ bytes: EVERY_BYTE.subarray(1, 5) }), logo],
    });

    const { 'X-Campaign': _, ...structured } = HEADERS;
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      personalizations: [
        {
          to: [{ email: 'ada@example.org' }],
          cc: [{ email: 'bob@xn--bcher-kva.example' }],
          bcc: [{ email: 'cy@example.org' }],
        },
      ],
      reply_to: { name: 'Hilfe, Ü', email: 'hilfe@xn--bcher-kva.example' },
      headers: { ...structured, 'X-Campaign': expect.stringMatching(/^=\?UTF-8\?B\?[\x20-\x7e]+\?=$/) },
      attachments: [
        { filename: 'a.bin', type: 'application/octet-stream', disposition: 'attachment', content: 'AQIDBA==' },
        {
          filename: NAMES[0],
          type: 'image/png',
          disposition: 'inline',
          content_id: 'logo.1',
          content: Buffer.from(EVERY_BYTE).toString('base64'),
        },
      ],
      custom_args: { jl_message_id: ID, jl_to_id: siblingId(ID, 'ada@example.org') },
    });
  });

  test('gets 20 MiB of attachments', async () => {
    const { url, requests } = await httpStandIn({ status: 202 });
    const bytes = new Uint8Array(20 * 1024 ** 2).fill(7);

    await send(settings(url), { attachments: [attachment({ bytes })] });

    const [{ content }] = JSON.parse(requests[0]?.body ?? '').attachments;
    expect(Buffer.from(content, 'base64').equals(bytes)).toBe(true);
  });
});

test('each provider says whether it takes empty attachments, and emails for some of the recipients', () => {
  const one = (env: object) => {
    const { acceptsInPart, acceptsEmptyAttachments } = open(env);
    return { acceptsInPart, acceptsEmptyAttachments };
  };

  expect(one({})).toEqual({ acceptsInPart: false, acceptsEmptyAttachments: true });
  expect(one({ EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_HOST: 'mail.example' })).toEqual({
    acceptsInPart: true,
    acceptsEmptyAttachments: true,
  });
  expect(one({ EMAIL_PROVIDER: 'sendgrid', EMAIL_API_KEY: 'key' })).toEqual({
    acceptsInPart: false,
    acceptsEmptyAttachments: false,
  });
});
