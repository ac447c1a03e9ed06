import type { OrgId } from '@jobline/contracts';
import { createDirectSends } from '@jobline/messaging';
import { describe, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { reply, smtpStandIn } from '../providers/smtp-stand-in.js';
import { ALL, EMAIL, smtpAt, smtpThat, useEmails } from './several-recipients.js';

const { person, lines, sendDeps, runningJob, beginAttempt, send, history, statuses, suppress } = useEmails();

describe('an email through SMTP', () => {
  it('arrives once with all recipients, each of which has a message in the history with the text and the job', async () => {
    const server = await smtpStandIn();
    const key = await runningJob();

    const sent = await send(key, smtpAt(server));

    expect(server.mails).toHaveLength(1);
    const [received] = server.mails;
    expect(received?.envelope.to).toEqual(ALL);
    expect(server.commands).toContain('RCPT TO:<Cy@xn--bcher-kva.example>');
    expect(received?.raw).toMatch(/^Cc: bob@example.com, Cy@xn--bcher-kva.example\r$/m);
    expect(received?.mail.replyTo).toEqual([{ name: 'Help', address: 'help@example.com' }]);
    expect(received?.raw).not.toContain('dot@');
    const entries = Object.values(await history());
    expect(entries.map(({ to, copied_as, status }) => `${to} ${copied_as} ${status}`).sort()).toEqual([
      'Ada@example.com null sent',
      'Cy@Bücher.example cc sent',
      'bob@example.com cc sent',
      'dot@example.com bcc sent',
    ]);
    for (const { id, job_id, provider_message_id } of entries) {
      expect([job_id, provider_message_id]).toEqual([key, sent.providerMessageId]);
      expect((await person().get(`/email/messages/${id}`)).body).toMatchObject({ body: '<p>Hello</p>', job_id: key });
    }
    expect((await history()).ada?.id).toBe(sent.messageId);
  });

  it.each([{}, { hidePIPELINING: true }])(
    'is not sent at all if its `to` is refused, whatever the server offers: %o',
    async (more) => {
      const server = await smtpThat(
        (to) => (to.startsWith('Ada') ? reply(550, '5.1.1 no such user') : undefined),
        more,
      );

      const sending = send(await runningJob(), smtpAt(server));

      await expect(sending).rejects.toMatchObject({ code: 'provider_rejected', message: /5\.1\.1 no such user/ });
      expect(server.commands).toContain('RCPT TO:<bob@example.com>');
      expect(server.commands).not.toContain('DATA');
      expect(await statuses()).toEqual({ ada: 'failed', bob: 'failed', cy: 'failed', dot: 'failed' });
    },
  );

  it('fails only for the copies that are refused, and those refused for now are sent again alone and unchanged', async () => {
    const tries = { dot: 0, cy: 0 };
    const server = await smtpThat((to) => {
      if (to.startsWith('bob')) return reply(550, '5.1.1 no such user');
      if (to.startsWith('Cy')) return reply(451, `4.7.1 later ${++tries.cy}`);
      return to.startsWith('dot') && ++tries.dot < 3 ? reply(450, '4.2.1 greylisted') : undefined;
    });

    const sent = await send(await runningJob(), smtpAt(server));

    expect(server.mails.map(({ envelope }) => envelope.to)).toEqual([['Ada@example.com'], ['dot@example.com']]);
    expect(server.mails.map(({ mail }) => mail.messageId)).toEqual([sent.providerMessageId, sent.providerMessageId]);
    expect(server.mails.map(({ mail }) => mail.to)).toEqual([
      [{ name: '', address: 'Ada@example.com' }],
      [{ name: '', address: 'Ada@example.com' }],
    ]);
    expect(tries).toEqual({ dot: 3, cy: 4 });
    expect(await statuses()).toEqual({ ada: 'sent', bob: 'failed', cy: 'failed', dot: 'sent' });
    const { bob, cy } = await history();
    expect(bob?.error).toMatchObject({ code: 'provider_rejected', message: expect.stringContaining('5.1.1') });
    expect(cy?.error).toMatchObject({ code: 'provider_unavailable', message: expect.stringContaining('later 4') });
    expect(lines()).toEqual([
      expect.stringMatching(/^warn the copy to bob@example.com was not sent: .*5\.1\.1/),
      expect.stringMatching(/^warn the copy to Cy@Bücher.example was not sent: .*later 4/),
    ]);
  });

  it('sent directly has the same copies, and a repeat with its key is sent to no recipient again', async () => {
    let refuseCount = 1;
    const server = await smtpThat((to) =>
      to.startsWith('bob') && refuseCount-- > 0 ? reply(450, 'later') : undefined,
    );
    const direct = createDirectSends(sendDeps(smtpAt(server), [1]));
    // The cast: the API returned it as the id of an organization.
    const sendDirectly = (email: object = {}) => direct.email(person().orgId as OrgId, { ...EMAIL, ...email }, 'once');

    const sent = await sendDirectly();

    expect(sent).toMatchObject({ recipient: 'Ada@example.com', status: 'sent', replayed: false });
    const others = ALL.filter((to) => !to.startsWith('bob'));
    expect(server.mails.map(({ envelope }) => envelope.to)).toEqual([others, ['bob@example.com']]);
    expect(await statuses()).toEqual({ ada: 'sent', bob: 'sent', cy: 'sent', dot: 'sent' });
    expect(await sendDirectly()).toEqual({ ...sent, replayed: true });
    for (const change of [{ bcc: [] }, { cc: [] }, { replyTo: null }, { headers: { 'X-A': 'b' } }]) {
      await expect(sendDirectly(change)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    }
    expect(server.mails).toHaveLength(2);
  });

  it('continues after a crash between the recipients with those that it has not reached, and never with the others', async () => {
    let isDown = true;
    const server = await smtpThat((to) => (isDown && to.startsWith('dot') ? reply(450, 'later') : undefined));
    const key = await runningJob();
    const crash = new AbortController();
    const first = send(key, smtpAt(server), { pausesMs: [60_000], signal: crash.signal });
    await until('the others to have it', async () => (await statuses()).ada === 'sent');
    expect(await statuses()).toEqual({ ada: 'sent', bob: 'sent', cy: 'sent', dot: 'queued' });
    crash.abort(new Error('the worker stops'));
    await expect(first).rejects.toThrow('the worker stops');

    isDown = false;
    await beginAttempt(key, 2);
    await Promise.all([1, 2, 3].map(() => send(key, smtpAt(server), { attempt: 2 })));

    expect(server.mails.map(({ envelope }) => envelope.to)).toEqual([ALL.slice(0, 3), ['dot@example.com']]);
    expect(await statuses()).toEqual({ ada: 'sent', bob: 'sent', cy: 'sent', dot: 'sent' });
  });

  it('has the recipients of the changed payload at the next attempt', async () => {
    const server = await smtpStandIn();
    server.decide = () => reply(452, 'disk full');
    const key = await runningJob();
    await expect(send(key, smtpAt(server))).rejects.toThrow('disk full');

    server.decide = () => undefined;
    await beginAttempt(key, 2);
    await send(key, smtpAt(server), { attempt: 2, email: { cc: ['eve@example.com', 'bob@example.com'], bcc: [] } });

    expect(server.mails.map(({ envelope }) => envelope.to)).toEqual([
      ['Ada@example.com', 'eve@example.com', 'bob@example.com'],
    ]);
    expect(await statuses()).toEqual({ ada: 'sent', bob: 'sent', eve: 'sent' });
  });
});

describe('an email to suppressed recipients', () => {
  it('leaves out copies and names them in the log, in whatever form the address is written', async () => {
    const server = await smtpStandIn();
    await suppress('cy@bücher.example');
    await suppress('dot@example.com');

    await send(await runningJob(), smtpAt(server), { email: { cc: ['bob@example.com', 'CY@xn--bcher-kva.example'] } });

    expect(server.mails[0]?.envelope.to).toEqual(['Ada@example.com', 'bob@example.com']);
    expect(server.mails[0]?.raw).not.toMatch(/cy@/i);
    expect(await statuses()).toEqual({ ada: 'sent', bob: 'sent' });
    expect(lines()).toEqual([
      'warn CY@xn--bcher-kva.example is left out: suppressed after a bounce or a complaint',
      'warn dot@example.com is left out: suppressed after a bounce or a complaint',
    ]);
  });

  it('fails if its `to` is suppressed', async () => {
    await suppress('ada@example.com');

    await expect(send(await runningJob(), {})).rejects.toMatchObject({ code: 'suppressed' });
    expect(await history()).toEqual({});
  });
});
