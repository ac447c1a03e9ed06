import tls from 'node:tls';
import { emailProviders } from '@jobline/providers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { keepingLogger } from '../api/support.js';
import { failsAsAgreed } from './conformance.js';
import { EMAIL, EXCERPT, HTML, ID, open, send } from './email-sample.js';
import { LOCALHOST_CERTIFICATE } from './localhost-certificate.js';
import { closeAll } from './receivers.js';
import { reply, smtpStandIn } from './smtp-stand-in.js';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeAll();
});

/** Trusts the certificate, as NODE_EXTRA_CA_CERTS does for a whole process. */
function trustLocalhost() {
  const { connect } = tls;
  vi.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
    const [options, ...others] = args;
    return Reflect.apply(connect, tls, [Object.assign({}, options, { ca: LOCALHOST_CERTIFICATE }), ...others]);
  });
}

describe('smtp', () => {
  const settings = (port: number) => ({
    EMAIL_PROVIDER: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: port,
    EMAIL_SMTP_TLS: 'none',
  });

  test('gets a complete message with all headers', async () => {
    const { port, mails } = await smtpStandIn();

    expect(await send(settings(port))).toEqual({ providerMessageId: `<${ID}@acme.example>` });

    expect(mails).toHaveLength(1);
    const [received] = mails;
    expect(received).toMatchObject({
      envelope: { from: 'hello@acme.example', to: ['ada@example.org'] },
      user: null,
      mail: {
        messageId: `<${ID}@acme.example>`,
        from: { name: 'Acme, Inc.', address: 'hello@acme.example' },
        to: [{ name: '', address: 'ada@example.org' }],
        subject: 'Grüße, Ada',
      },
    });
    expect(received?.mail.text?.trimEnd()).toBe(EMAIL.content.text);
    expect(received?.mail.html).toBeUndefined();
    expect(received?.mail.headers.find(({ key }) => key === 'date')).toBeDefined();
  });

  test('gets HTML as text if the email is plain text', async () => {
    const { port, mails } = await smtpStandIn();

    await send(settings(port), { content: { html: null, text: HTML } });

    expect(mails[0]?.mail.text?.trimEnd()).toBe(HTML);
  });

  test('gets HTML with its text part, the text part first', async () => {
    const { port, mails } = await smtpStandIn();

    await send(settings(port), { content: { html: HTML, text: 'Hello Ada' } });

    expect(mails[0]?.mail.html?.trimEnd()).toBe(HTML);
    expect(mails[0]?.mail.text?.trimEnd()).toBe('Hello Ada');
    expect(mails[0]?.raw).toMatch(/multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/);
  });

  test.each([
    ['info@bücher.example', 'info@xn--bcher-kva.example'],
    ['info@BÜCHER.example', 'info@xn--bcher-kva.example'],
    ['info@почта.рф', 'info@xn--80a1acny.xn--p1ai'],
    ['info@例え.テスト', 'info@xn--r8jz45g.xn--zckzah'],
    ['info@mail.faß.example', 'info@mail.xn--fa-hia.example'],
    ['info@مثال.إختبار', 'info@xn--mgbh0fb.xn--kgbechtv'],
  ])('gets the domain of %s in its ASCII form, in envelope and headers', async (address, ascii) => {
    const { port, mails, commands } = await smtpStandIn({ hideSMTPUTF8: true });

    await send(settings(port), { to: address, from: `Büro <${address}>` });

    expect(commands.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
      expect.stringContaining(`FROM:<${ascii}>`),
      `RCPT TO:<${ascii}>`,
    ]);
    const { raw } = mails[0] ?? {};
    expect(raw).toMatch(new RegExp(`^To: <?${ascii}>?\r?$`, 'm'));
    expect(raw).toMatch(new RegExp(`^From: .*<${ascii}>\r?$`, 'm'));
    expect(raw).toContain(`Message-ID: <${ID}@${ascii.split('@')[1]}>`);
  });

  test('gets one recipient and one subject, regardless of their content', async () => {
    const { port, mails } = await smtpStandIn();

    await send(settings(port), { subject: 'a\r\nBcc: eve@example.org\r\n\r\nb' });
    await send(settings(port), { to: 'ada@example.org, eve@example.org' }).catch(() => undefined);

    expect(mails[0]?.mail.bcc).toBeUndefined();
    expect(mails.flatMap(({ envelope }) => envelope.to)).not.toContain('eve@example.org');
  });

  test('gets a long line that starts with a dot unchanged', async () => {
    const { port, mails } = await smtpStandIn();
    const body = `.\n..\n.${'x'.repeat(3_000)}\nend`;

    await send(settings(port), { content: { html: null, text: body } });

    expect(mails[0]?.mail.text?.trimEnd()).toBe(body);
  });

  test('gets a body of a megabyte unchanged', async () => {
    const { port, mails } = await smtpStandIn();
    const body = '.Grüße, Ada\n'.repeat(80_000).trimEnd();

    await send(settings(port), { content: { html: null, text: body } });

    expect(mails[0]?.mail.text?.trimEnd()).toBe(body);
    expect(mails[0]?.mail.headers.find(({ key }) => key === 'content-transfer-encoding')?.value).toBe('base64');
  });

  test('gets the configured user and password', async () => {
    const seen: object[] = [];
    const { port, mails } = await smtpStandIn({
      authOptional: false,
      onAuth({ username = '', password }, _session, done) {
        seen.push({ username, password });
        done(null, { user: username });
      },
    });

    await send({ ...settings(port), EMAIL_SMTP_USERNAME: 'jobline', EMAIL_SMTP_PASSWORD: 'pass wörd' });

    expect(seen).toEqual([{ username: 'jobline', password: 'pass wörd' }]);
    expect(mails[0]?.user).toBe('jobline');
  });

  test('gets neither a password nor a message without TLS, unless configured', async () => {
    let signedIn = 0;
    const standIn = await smtpStandIn({
      disabledCommands: ['STARTTLS'],
      onAuth(_auth, _session, done) {
        signedIn++;
        done(null, { user: 'any' });
      },
    });

    const sending = send({
      ...settings(standIn.port),
      EMAIL_SMTP_TLS: 'starttls',
      EMAIL_SMTP_USERNAME: 'jobline',
      EMAIL_SMTP_PASSWORD: 'password',
    });

    await expect(sending).rejects.toThrow('answered: 500');
    expect({ signedIn, offered: standIn.offered }).toEqual({ signedIn: 0, offered: 0 });
  });

  test.each(['starttls', 'tls'])('gets nothing over %s if its certificate is not trusted', async (tls) => {
    const standIn = await smtpStandIn({ secure: tls === 'tls' });

    const sending = send({ ...settings(standIn.port), EMAIL_SMTP_TLS: tls });

    await expect(sending).rejects.toMatchObject({ kind: 'transient', message: expect.stringMatching(/certificate/i) });
    expect(standIn.offered).toBe(0);
  });

  test.each(['starttls', 'tls'])('gets the message over %s with a certificate for its name', async (tls) => {
    const standIn = await smtpStandIn({ secure: tls === 'tls', allowInsecureAuth: false });
    trustLocalhost();

    const auth = { EMAIL_SMTP_USERNAME: 'jobline', EMAIL_SMTP_PASSWORD: 'password' };
    await send({ ...settings(standIn.port), ...auth, EMAIL_SMTP_HOST: 'localhost', EMAIL_SMTP_TLS: tls });

    expect(standIn.mails).toMatchObject([{ isSecure: true, user: 'jobline' }]);
  });

  test('gets no more connections than configured, and every message is sent', async () => {
    const standIn = await smtpStandIn();
    const provider = open({ ...settings(standIn.port), EMAIL_SMTP_CONNECTIONS: 2 });
    const numbers = Array.from({ length: 9 }, (_, i) => `${i}`);

    await Promise.all(numbers.map((subject) => provider.send({ ...EMAIL, subject }, new AbortController().signal)));

    expect(standIn.mails.map(({ mail }) => mail.subject).sort()).toEqual(numbers);
    // A finished connection may not be closed yet.
    expect(standIn.mostConnections).toBeLessThanOrEqual(4);
  });

  test.each([
    [
      'a recipient',
      { onRcptTo: (_address, _session, done) => done(reply(550, '5.1.1 no such user')) },
      '5.1.1 no such user',
    ],
    ['a sender', { onMailFrom: (_address, _session, done) => done(reply(553, '5.7.1 not yours')) }, '5.7.1 not yours'],
    ['the connection', { onConnect: (_session, done) => done(reply(554, 'go away')) }, 'go away'],
  ] satisfies [string, Parameters<typeof smtpStandIn>[0], string][])(
    'can reject %s permanently with its own message',
    async (_whom, options, words) => {
      const { port } = await smtpStandIn(options);

      await expect(send(settings(port))).rejects.toMatchObject({
        kind: 'rejected',
        message: expect.stringContaining(words),
      });
    },
  );

  test('can reject a recipient temporarily with a 4xx', async () => {
    const { port } = await smtpStandIn({
      onRcptTo: (_address, _session, done) => done(reply(451, '4.7.1 greylisted')),
    });

    await expect(send(settings(port))).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('4.7.1 greylisted'),
    });
  });

  test('can reject a password, which appears nowhere', async () => {
    const { port } = await smtpStandIn({
      onAuth: ({ password }, _session, done) => done(reply(535, `5.7.8 wrong password ${password}`)),
    });
    const auth = { EMAIL_SMTP_USERNAME: 'jobline', EMAIL_SMTP_PASSWORD: 'never-to-be-read' };

    await expect(send({ ...settings(port), ...auth })).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(/5\.7\.8 wrong password \*\*\*/),
    });
  });

  test('is shown without its host to tenants, and with its host to the operator', async () => {
    const named = await smtpStandIn({
      onRcptTo: (_address, _session, done) => done(reply(550, '5.7.1 127.0.0.1 relays for no one')),
    });
    const gone = await smtpStandIn();
    await gone.leave();
    const { log, lines } = keepingLogger();
    const failing = (port: number) =>
      emailProviders.open(settings(port), { log }).send(EMAIL, new AbortController().signal);

    await expect(failing(named.port)).rejects.toThrow('smtp answered: 550 5.7.1 *** relays for no one');
    await expect(failing(gone.port)).rejects.toThrow(/^the message could not be passed to smtp: ECONNREFUSED$/);

    expect(lines.map(({ fields }) => fields)).toEqual([
      { host: '127.0.0.1', port: named.port, responseCode: 550, code: 'EENVELOPE' },
      { host: '127.0.0.1', port: gone.port, responseCode: null, code: 'ESOCKET', reason: expect.any(String) },
    ]);
  });

  test('has not accepted a message if it closes the connection before the transfer', async () => {
    const standIn = await smtpStandIn({ onRcptTo: () => standIn.hangUp() });

    await expect(send(settings(standIn.port))).rejects.toMatchObject({ kind: 'transient' });
    expect(standIn.offered).toBe(0);
  });

  failsAsAgreed(
    'smtp',
    async (timeoutMs) => {
      const standIn = await smtpStandIn();
      const auth = { EMAIL_SMTP_USERNAME: 'jobline', EMAIL_SMTP_PASSWORD: 'never-to-be-read' };
      const env = { ...settings(standIn.port), ...auth, EMAIL_TIMEOUT_MS: timeoutMs };
      return {
        send: (signal, context) => emailProviders.open(env, context).send(EMAIL, signal),
        async meet(trouble) {
          if (trouble === 'is unreachable') await standIn.leave();
          if (trouble === 'rejects') standIn.decide = () => reply(554, '5.7.1 looks like spam');
          if (trouble === 'fails') standIn.decide = () => reply(452, '4.3.1 disk full');
          if (trouble === 'does not answer') standIn.decide = () => null;
          if (trouble === 'closes the connection') {
            standIn.decide = () => {
              standIn.hangUp();
              return null;
            };
          }
        },
        received: () => standIn.offered,
        secrets: ['never-to-be-read', Buffer.from('\0jobline\0never-to-be-read').toString('base64'), EXCERPT],
        rejection: '554 5.7.1 looks like spam',
      };
    },
    { without: ['throttles', 'sends half an answer'] },
  );
});
