import { ProviderFailure } from '@jobline/handlers/errors';
import type { EmailProvider } from '@jobline/handlers/ports';
import { type Logger, newId, pause, within } from '@jobline/runtime';

/** A mail of the service itself, to somebody with an account. It is in no organization's history. */
export interface SystemMail {
  /** What it is, for the log, which has neither its text nor its recipient. */
  kind: string;
  /** Whom it is for, by the id of the account. */
  userId: string;
  to: string;
  subject: string;
  body: string;
  /** What of its text nobody else may see, should a provider's refusal quote it. */
  secret: string;
  /** Takes back what was made for it, once it is given up. */
  takeBack?(): Promise<void>;
}

export interface SystemMails {
  /**
   * Makes a mail and sends it, once the caller has gone on: how long that takes, and whether there is anything to be sent,
   * shows nowhere. False: too many wait already, and this one will not be made.
   */
  post(make: () => Promise<SystemMail | null>): boolean;
  /** Takes no more; resolves when all that wait are sent or, after a few seconds, given up. */
  close(): Promise<void>;
}

const AT_ONCE = 2;
const MAX_WAITING = 500;
const CALL_MS = 20_000;
/** Before each further try. A mail that arrives twice does no harm. */
const RETRY_AFTER_MS = [2_000, 10_000];
const CLOSE_WITHIN_MS = 5_000;

export function createSystemMails({ email, log }: { email: EmailProvider; log: Logger }): SystemMails {
  const line: (() => Promise<SystemMail | null>)[] = [];
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let isClosed = false;

  function goOn(): void {
    while (running.size < AT_ONCE) {
      const make = line.shift();
      if (!make) return;
      const run = makeAndSend(make).finally(() => {
        running.delete(run);
        goOn();
      });
      running.add(run);
    }
  }

  /** Never rejects. */
  async function makeAndSend(make: () => Promise<SystemMail | null>): Promise<void> {
    try {
      const mail = await make();
      if (mail && !(await send(mail))) await mail.takeBack?.();
    } catch (error) {
      log.error('a mail of the service could not be made or taken back', { error });
    }
  }

  /** Whether it was sent. */
  async function send(mail: SystemMail): Promise<boolean> {
    const { kind, userId: user_id } = mail;
    for (let tries = 1; ; tries++) {
      const failure = await trySending(mail);
      if (!failure) {
        log.info('mail sent', { kind, user_id, provider: email.provider });
        return true;
      }
      const waitMs = RETRY_AFTER_MS[tries - 1];
      const { reason, isFinal } = failure;
      if (isFinal || waitMs === undefined || closing.signal.aborted) {
        log.error('mail not sent', { kind, user_id, provider: email.provider, tries, reason });
        return false;
      }
      await pause(waitMs, closing.signal);
    }
  }

  async function trySending({ to, subject, body, secret }: SystemMail) {
    const from = email.defaultFrom;
    if (from === null) return { reason: 'there is no default sender (EMAIL_DEFAULT_FROM)', isFinal: true };
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
    post(make) {
      if (isClosed || line.length >= MAX_WAITING) return false;
      line.push(make);
      // Not before the caller has gone on.
      setImmediate(goOn);
      return true;
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
