import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Receiver } from '../harness/index.js';
import { useEmails } from './several-recipients.js';
import { postEvents, sendgridAt, takesEmail } from './support.js';

const { world, api, person, runningJob, beginAttempt, send, history, statuses } = useEmails();

describe('an email through SendGrid', () => {
  let mail: Receiver;
  /** The answers to the next requests. */
  let answers: (typeof takesEmail)[];
  beforeEach(async () => {
    answers = [];
    mail = await world().receiver((request, n) => (answers.shift() ?? takesEmail)(request, n));
  });

  const body = () => JSON.parse(mail.received[0]?.text ?? '');
  const event = (kind: string, email: string) => ({
    event: kind,
    sg_event_id: randomUUID(),
    sg_message_id: 'sg-1.recvd',
    timestamp: 1_795_000_000,
    email,
    ...body().custom_args,
    ...(kind === 'bounce' && { type: 'bounce' }),
  });

  it('is one request, and each recipient has feedback and a suppression of its own', async () => {
    await send(await runningJob(), sendgridAt(mail.url));
    const before = await history();

    await postEvents(api().call, [
      event('delivered', 'ada@example.com'),
      event('bounce', 'bob@example.com'),
      event('delivered', 'cy@xn--bcher-kva.example'),
      event('spamreport', 'dot@example.com'),
      event('bounce', 'another@example.com'),
    ]);

    expect(mail.received).toHaveLength(1);
    expect(body()).toMatchObject({
      personalizations: [
        {
          to: [{ email: 'Ada@example.com' }],
          cc: [{ email: 'bob@example.com' }, { email: 'Cy@xn--bcher-kva.example' }],
          bcc: [{ email: 'dot@example.com' }],
        },
      ],
      reply_to: { email: 'help@example.com', name: 'Help' },
    });
    expect(Object.values(before).map((entry) => entry.provider_message_id)).toEqual(Array(4).fill('sg-1'));
    expect(await statuses()).toEqual({ ada: 'delivered', bob: 'bounced', cy: 'delivered', dot: 'complained' });
    const suppressions = (await person().get('/org/suppressions')).body;
    expect(suppressions.map(({ address }: { address: string }) => address).sort()).toEqual([
      'bob@example.com',
      'dot@example.com',
    ]);
  });

  it.each(['ada@example.com', 'dot@example.com'])(
    'is sent to no recipient again once feedback on %s shows that the request with an unknown end was accepted',
    async (reported) => {
      answers.push(() => ({ status: 202, delayMs: 2_000 }));
      const key = await runningJob();
      const env = { ...sendgridAt(mail.url), EMAIL_TIMEOUT_MS: '200' };
      await expect(send(key, env)).rejects.toMatchObject({ kind: 'ambiguous' });
      await postEvents(api().call, [event('processed', reported)]);

      await beginAttempt(key, 2);
      await send(key, env, { attempt: 2 });

      expect(mail.received).toHaveLength(1);
      expect(await statuses()).toEqual({ ada: 'sent', bob: 'sent', cy: 'sent', dot: 'sent' });
    },
  );
});
