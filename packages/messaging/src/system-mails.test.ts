import { ProviderFailure } from '@jobline/handlers/errors';
import type { Email } from '@jobline/handlers/ports';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSystemMails, type Posting, type SystemMail } from './system-mails.js';

const MAIL: SystemMail = {
  about: { user_id: 'the user' },
  to: 'ada@example.com',
  subject: 'Choose a new password',
  body: 'https://jobs.example.com/reset#token=the-token',
  secret: 'the-token',
};

let lines: { level: string; message: string; fields: object }[];
let sent: Email[];
let answers: (Error | undefined)[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  lines = [];
  sent = [];
  answers = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function mails(from: string | null = 'service@jobs.example.com') {
  const tell =
    (level: string) =>
    (message: string, fields = {}) =>
      void lines.push({ level, message, fields });
  const log = { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') };
  const send = async (email: Email, signal: AbortSignal) => {
    signal.throwIfAborted();
    sent.push(email);
    const failure = answers.shift();
    if (failure) throw failure;
    return { providerMessageId: null };
  };
  return createSystemMails({ email: { provider: 'smtp', defaultFrom: 'hello@jobs.example.com', send }, from, log });
}

let postings = 0;

/** Each for a recipient and from a source of its own, unless told. */
function posting(make: () => Promise<SystemMail | null>, by: Partial<Posting> = {}): Posting {
  postings++;
  return { kind: 'password reset', to: `${postings}@example.com`, source: `192.0.2.${postings}`, ...by, make };
}

/** All that needs no time to pass has happened. */
async function settled(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a mail of the service', () => {
  it('is made only after its poster has gone on', async () => {
    const make = vi.fn(async () => null);
    expect(mails().post(posting(make))).toBe('taken');
    expect(make).not.toHaveBeenCalled();
    await settled();
    expect(make).toHaveBeenCalled();
    expect(sent).toEqual([]);
  });

  it('is tried again after 2 and 10 s where that may help, and given up then', async () => {
    answers = Array.from({ length: 3 }, () => new ProviderFailure('transient', 'busy'));
    mails().post(posting(async () => MAIL));
    for (const [tries, ms] of [
      [1, 2_000],
      [2, 10_000],
    ] as const) {
      await settled();
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(sent).toHaveLength(tries);
      await vi.advanceTimersByTimeAsync(1);
    }
    await settled();
    expect(sent).toHaveLength(3);
    expect(lines).toMatchObject([{ level: 'error', message: 'mail not sent', fields: { tries: 3, reason: 'busy' } }]);
  });

  it('is not tried again when it was refused, and the log has neither its secret nor its recipient from the refusal', async () => {
    answers = [new ProviderFailure('rejected', '<ada@example.com> spam: reset?token=the-token')];
    mails().post(posting(async () => MAIL));
    await settled();
    expect(sent).toHaveLength(1);
    expect(lines).toMatchObject([{ level: 'error', fields: { tries: 1, reason: '<…> spam: reset?token=…' } }]);
    expect(JSON.stringify(lines)).not.toMatch(/the-token|ada@/);
  });

  it('has what was made for it taken back when it is given up, and not when it was sent', async () => {
    answers = [undefined, new ProviderFailure('rejected', 'no')];
    const takeBack = vi.fn(async () => undefined);
    const mailing = mails();
    mailing.post(posting(async () => ({ ...MAIL, takeBack })));
    await settled();
    expect(takeBack).not.toHaveBeenCalled();
    mailing.post(posting(async () => ({ ...MAIL, takeBack })));
    await settled();
    expect(takeBack).toHaveBeenCalledOnce();
  });

  it('is refused when too many wait', () => {
    const full = mails();
    const posted = Array.from({ length: 600 }, () => full.post(posting(async () => null)));
    expect(posted.filter((answer) => answer === 'taken')).toHaveLength(500);
    expect(posted.at(-1)).toBe('refused');
  });

  it('waits beside a few others of its recipient and of its source at most, which leave room for everybody else', () => {
    const full = mails();
    const toOne = Array.from({ length: 5 }, () => full.post(posting(async () => null, { to: 'ada@example.com' })));
    const ofOne = Array.from({ length: 25 }, () => full.post(posting(async () => null, { source: '198.51.100.1' })));

    expect(toOne).toEqual(['taken', 'taken', 'taken', 'dropped', 'dropped']);
    expect(ofOne).toEqual([...Array(20).fill('taken'), ...Array(5).fill('refused')]);
    expect(full.post(posting(async () => null))).toBe('taken');
    expect(full.post(posting(async () => null, { to: 'ada@example.com', kind: 'invite' }))).toBe('taken');
  });

  it('leaves its place in line when it is sent', async () => {
    const mailing = mails();
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 3; n++) {
        expect(mailing.post(posting(async () => MAIL, { to: 'ada@example.com', source: 'one' }))).toBe('taken');
      }
      await settled();
    }
    expect(sent).toHaveLength(9);
  });

  it('is sent from the address of the service, and given up without one', async () => {
    mails().post(posting(async () => MAIL));
    const mute = mails(null);
    mute.post(posting(async () => MAIL));
    await settled();
    expect(sent.map(({ from }) => from)).toEqual(['service@jobs.example.com']);
    expect([mails().hasSender, mute.hasSender]).toEqual([true, false]);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { reason: expect.stringContaining('EMAIL_SYSTEM_FROM') },
    });
  });

  it('that waits is sent before it closes; later ones are refused', async () => {
    const closing = mails();
    for (let n = 0; n < 5; n++) closing.post(posting(async () => MAIL));
    await closing.close();
    expect(sent).toHaveLength(5);
    expect(closing.post(posting(async () => MAIL))).toBe('refused');
  });

  it('that cannot be sent for now is given up on closing, after a few seconds', async () => {
    answers = [new ProviderFailure('transient', 'busy')];
    const closing = mails();
    closing.post(posting(async () => MAIL));
    await settled();
    const closed = closing.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(lines).toEqual([]);
    answers = [new ProviderFailure('transient', 'busy still')];
    await vi.advanceTimersByTimeAsync(4_000);
    await closed;
    expect(lines.at(-1)).toMatchObject({ message: 'mail not sent' });
  });
});
