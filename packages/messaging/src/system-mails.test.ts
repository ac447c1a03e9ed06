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
  const writeLine =
    (level: string) =>
    (message: string, fields = {}) =>
      void lines.push({ level, message, fields });
  const log = {
    debug: writeLine('debug'),
    info: writeLine('info'),
    warn: writeLine('warn'),
    error: writeLine('error'),
  };
  const send = async (email: Email, signal: AbortSignal) => {
    signal.throwIfAborted();
    sent.push(email);
    const failure = answers.shift();
    if (failure) throw failure;
    return { providerMessageId: null };
  };
  return createSystemMails({
    email: {
      provider: 'smtp',
      acceptsInPart: false,
      acceptsEmptyAttachments: true,
      defaultFrom: 'hello@jobs.example.com',
      send,
    },
    from,
    log,
  });
}

let postings = 0;

/** A posting with its own recipient and source by default. */
function posting(make: () => Promise<SystemMail | null>, by: Partial<Posting> = {}): Posting {
  postings++;
  return { kind: 'password reset', to: `${postings}@example.com`, source: `192.0.2.${postings}`, ...by, make };
}

/** Waits until everything has happened that does not need time to pass. */
async function idle(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a system email', () => {
  it('is created only after its caller has continued', async () => {
    const make = vi.fn(async () => null);
    expect(mails().post(posting(make))).toBe('taken');
    expect(make).not.toHaveBeenCalled();
    await idle();
    expect(make).toHaveBeenCalled();
    expect(sent).toEqual([]);
  });

  it('is retried after 2 and 10 seconds if a retry can succeed, and then dropped', async () => {
    answers = Array.from({ length: 3 }, () => new ProviderFailure('transient', 'busy'));
    mails().post(posting(async () => MAIL));
    for (const [tries, ms] of [
      [1, 2_000],
      [2, 10_000],
    ] as const) {
      await idle();
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(sent).toHaveLength(tries);
      await vi.advanceTimersByTimeAsync(1);
    }
    await idle();
    expect(sent).toHaveLength(3);
    expect(lines).toMatchObject([{ level: 'error', message: 'mail not sent', fields: { tries: 3, reason: 'busy' } }]);
  });

  it('is not retried after a rejection, and the log contains neither its secret nor its recipient', async () => {
    answers = [new ProviderFailure('rejected', '<ada@example.com> spam: reset?token=the-token')];
    mails().post(posting(async () => MAIL));
    await idle();
    expect(sent).toHaveLength(1);
    expect(lines).toMatchObject([{ level: 'error', fields: { tries: 1, reason: '<…> spam: reset?token=…' } }]);
    expect(JSON.stringify(lines)).not.toMatch(/the-token|ada@/);
  });

  it('removes what was created for it if it is dropped, but not if it was sent', async () => {
    answers = [undefined, new ProviderFailure('rejected', 'no')];
    const takeBack = vi.fn(async () => undefined);
    const mailing = mails();
    mailing.post(posting(async () => ({ ...MAIL, takeBack })));
    await idle();
    expect(takeBack).not.toHaveBeenCalled();
    mailing.post(posting(async () => ({ ...MAIL, takeBack })));
    await idle();
    expect(takeBack).toHaveBeenCalledOnce();
  });

  it('is refused if too many are waiting', () => {
    const full = mails();
    const posted = Array.from({ length: 600 }, () => full.post(posting(async () => null)));
    expect(posted.filter((answer) => answer === 'taken')).toHaveLength(500);
    expect(posted.at(-1)).toBe('refused');
  });

  it('is limited per recipient and per source, so that others are still accepted', () => {
    const full = mails();
    const toOne = Array.from({ length: 5 }, () => full.post(posting(async () => null, { to: 'ada@example.com' })));
    const ofOne = Array.from({ length: 25 }, () => full.post(posting(async () => null, { source: '198.51.100.1' })));

    expect(toOne).toEqual(['taken', 'taken', 'taken', 'dropped', 'dropped']);
    expect(ofOne).toEqual([...Array(20).fill('taken'), ...Array(5).fill('refused')]);
    expect(full.post(posting(async () => null))).toBe('taken');
    expect(full.post(posting(async () => null, { to: 'ada@example.com', kind: 'invite' }))).toBe('taken');
  });

  it('frees its place in the queue when it is sent', async () => {
    const mailing = mails();
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 3; n++) {
        expect(mailing.post(posting(async () => MAIL, { to: 'ada@example.com', source: 'one' }))).toBe('taken');
      }
      await idle();
    }
    expect(sent).toHaveLength(9);
  });

  it('is plain text, even if it contains the name of an organization that looks like HTML', async () => {
    mails().post(posting(async () => ({ ...MAIL, body: 'Organization "<a href=https://evil.example>"' })));
    await idle();
    expect(sent).toMatchObject([{ content: { html: null } }]);
  });

  it('is sent from the address of the service, and dropped without one', async () => {
    mails().post(posting(async () => MAIL));
    const mute = mails(null);
    mute.post(posting(async () => MAIL));
    await idle();
    expect(sent.map(({ from }) => from)).toEqual(['service@jobs.example.com']);
    expect([mails().hasSender, mute.hasSender]).toEqual([true, false]);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { reason: expect.stringContaining('EMAIL_SYSTEM_FROM') },
    });
  });

  it('is sent before closing if it is waiting, and refused after closing', async () => {
    const closing = mails();
    for (let n = 0; n < 5; n++) closing.post(posting(async () => MAIL));
    await closing.close();
    expect(sent).toHaveLength(5);
    expect(closing.post(posting(async () => MAIL))).toBe('refused');
  });

  it('is dropped a few seconds after closing if it cannot be sent', async () => {
    answers = [new ProviderFailure('transient', 'busy')];
    const closing = mails();
    closing.post(posting(async () => MAIL));
    await idle();
    const closed = closing.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(lines).toEqual([]);
    answers = [new ProviderFailure('transient', 'busy still')];
    await vi.advanceTimersByTimeAsync(4_000);
    await closed;
    expect(lines.at(-1)).toMatchObject({ message: 'mail not sent' });
  });
});
