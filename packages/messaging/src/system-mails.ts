import { ProviderFailure } from '@jobline/handlers/errors';
import type { EmailProvider } from '@jobline/handlers/ports';
import { type Logger, newId, pause, within } from '@jobline/runtime';

/** A mail of the service itself, to somebody with an account or an invite. It is in no organization's history. */
export interface SystemMail {
  /** What it belongs to, for the log: the id of an account or of an invite. */
  about: { user_id: string } | { invite_id: string };
  to: string;
  subject: string;
  body: string;
  /** What of its text nobody else may see, should a provider's refusal quote it. */
  secret: string;
  /** Takes back what was made for it, once it is given up. */
  takeBack?(): Promise<void>;
}

/** A mail to be made. */
export interface Posting {
  /** What it is. The log has it, and neither the text nor the recipient. */
  kind: 'password reset' | 'invite';
  /** The address that it is for, as the caller named it: whether it has an account is not known yet. */
  to: string;
  /** Where the request for it came from. */
  source: string;
  /** Null: there is nothing to be sent. */
  make(): Promise<SystemMail | null>;
}

/**
 * `dropped`: enough mails of the kind wait for the same recipient, and one more is not needed. `refused`: too many wait of the same
 * source, or in all. Neither will be made.
 */
export type Posted = 'taken' | 'dropped' | 'refused';

export interface SystemMails {
  /** Without one, every mail is given up. */
  readonly hasSender: boolean;
  /**
   * Makes a mail and sends it, once the caller has gone on: how long that takes, and whether there is anything to be sent,
   * shows nowhere. The answer depends on nothing but what waits.
   */
  post(posting: Posting): Posted;
  /** Takes no more; resolves when all that wait are sent or, after a few seconds, given up. */
  close(): Promise<void>;
}

const AT_ONCE = 2;
const MAX_WAITING = 500;
/** Of a kind: invites, which strangers can have sent, must not keep anybody from a new password. */
const MAX_WAITING_PER_RECIPIENT = 3;
/** So that a single source leaves places for the others. */
const MAX_WAITING_PER_SOURCE = 20;
const CALL_MS = 20_000;
/** Before each further try. A mail that arrives twice does no harm. */
const RETRY_AFTER_MS = [2_000, 10_000];
const CLOSE_WITHIN_MS = 5_000;

/** `from` is who sends them; null: nobody, and none is sent. */
export function createSystemMails(options: { email: EmailProvider; from: string | null; log: Logger }): SystemMails {
  const { email, from, log } = options;
  const line: Posting[] = [];
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let isClosed = false;

  function goOn(): void {
    while (running.size < AT_ONCE) {
      const posting = line.shift();
      if (!posting) return;
      const run = makeAndSend(posting).finally(() => {
        running.delete(run);
        goOn();
      });
      running.add(run);
    }
  }

  /** Never rejects. */
  async function makeAndSend(posting: Posting): Promise<void> {
    try {
      const mail = await posting.make();
      if (mail && !(await send(posting.kind, mail))) await mail.takeBack?.();
    } catch (error) {
      log.error('a mail of the service could not be made or taken back', { error });
    }
  }

  /** Whether it was sent. */
  async function send(kind: Posting['kind'], mail: SystemMail): Promise<boolean> {
    const { about } = mail;
    for (let tries = 1; ; tries++) {
      const failure = await trySending(mail);
      if (!failure) {
        log.info('mail sent', { kind, ...about, provider: email.provider });
        return true;
      }
      const waitMs = RETRY_AFTER_MS[tries - 1];
      const { reason, isFinal } = failure;
      if (isFinal || waitMs === undefined || closing.signal.aborted) {
        log.error('mail not sent', { kind, ...about, provider: email.provider, tries, reason });
        return false;
      }
      await pause(waitMs, closing.signal);
    }
  }

  async function trySending({ to, subject, body, secret }: SystemMail) {
    if (from === null) return { reason: 'there is no sender (EMAIL_SYSTEM_FROM or EMAIL_DEFAULT_FROM)', isFinal: true };
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(CALL_MS)]);
      await email.send({ id: newId(), to, from, subject, body }, signal);
      return null;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      const isFinal = error instanceof ProviderFailure && error.kind === 'rejected';
      return { reason: words.replaceAll(secret, '…').replaceAll(to, '…'), isFinal };
    }
  }

  async function untilIdle(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  return {
    hasSender: from !== null,
    post(posting) {
      if (isClosed || line.length >= MAX_WAITING) return 'refused';
      const { kind, to, source } = posting;
      const ofSource = line.filter((other) => other.source === source);
      if (ofSource.length >= MAX_WAITING_PER_SOURCE) return 'refused';
      const ofRecipient = line.filter((other) => other.to === to && other.kind === kind);
      if (ofRecipient.length >= MAX_WAITING_PER_RECIPIENT) return 'dropped';
      line.push(posting);
      // Not before the caller has gone on.
      setImmediate(goOn);
      return 'taken';
    },
    async close() {
      isClosed = true;
      goOn();
      await within(CLOSE_WITHIN_MS, untilIdle(), () => undefined);
      if (line.length > 0) log.warn('mails given up', { count: line.length });
      line.length = 0;
      closing.abort();
      await untilIdle();
    },
  };
}
