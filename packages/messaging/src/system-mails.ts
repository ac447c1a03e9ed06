import { ProviderFailure } from '@jobline/handlers/errors';
import type { EmailProvider } from '@jobline/handlers/ports';
import { type Logger, newId, pause, within } from '@jobline/runtime';

/**
 * An email of the service itself, to a person with an account or an invite. It does not appear in the history of any
 * organization.
 */
export interface SystemMail {
  /** What it is about, for the log. */
  about: { user_id: string } | { invite_id: string } | { webhook_id: string } | { alert_id: string };
  to: string;
  subject: string;
  body: string;
  /** A secret in the text. It is removed from error messages of the provider. Absent: it contains none. */
  secret?: string;
  /** Removes what was created for the email, if it cannot be sent. */
  takeBack?(): Promise<void>;
}

export type SystemMailKind = 'password reset' | 'invite' | 'address' | 'webhook disabled' | 'alert';

/** An email to create and send. */
export interface Posting {
  /** The kind of email. Only this is logged, neither the text nor the recipient. */
  kind: SystemMailKind;
  /** The address of the recipient as the caller gave it, or the id of the recipient's account. Whether it exists is not known yet. */
  to: string;
  /** The IP address of the request, or its /64 network, or the id of an organization. All emails of one source share a limit. */
  source: string;
  /** Creates the email. Null: nothing is to be sent. */
  make(): Promise<SystemMail | null>;
}

/**
 * `dropped`: enough emails of this kind wait for the same recipient, so another one is not needed. `refused`: too many
 * emails of the same source, or in total, are waiting. Neither of them is sent.
 */
export type Posted = 'taken' | 'dropped' | 'refused';

export interface SystemMails {
  /** Without a sender, no email is sent. */
  readonly hasSender: boolean;
  /** How many emails wait to be created. */
  waiting(): number;
  /**
   * Creates and sends an email after the caller has continued, so its duration, and whether there is anything to send,
   * are not observable. The result depends only on the waiting emails.
   */
  post(posting: Posting): Posted;
  /** Accepts no more emails. Resolves when all waiting emails have been sent, or are dropped after a few seconds. */
  close(): Promise<void>;
}

const MAX_RUNNING = 2;
const MAX_WAITING = 500;
/** The limit per kind and recipient. Invites, which any member can cause, must not prevent a password reset. */
const MAX_WAITING_PER_RECIPIENT = 3;
/** The limit per source, so that one source cannot fill the queue. */
const MAX_WAITING_PER_SOURCE = 20;
const CALL_MS = 20_000;
/** The wait before each retry. An email that arrives twice does no harm. */
const RETRY_AFTER_MS = [2_000, 10_000];
const CLOSE_WITHIN_MS = 5_000;

/** `from` is the sender. Null: no email is sent. */
export function createSystemMails(options: { email: EmailProvider; from: string | null; log: Logger }): SystemMails {
  const { email, from, log } = options;
  const queue: Posting[] = [];
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let isClosed = false;

  function startNext(): void {
    while (running.size < MAX_RUNNING) {
      const posting = queue.shift();
      if (!posting) return;
      const run = makeAndSend(posting).finally(() => {
        running.delete(run);
        startNext();
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
      log.error('failed to create or remove a system email', { error });
    }
  }

  /** Returns whether the email was sent. */
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
    if (from === null)
      return { reason: 'no sender is configured (EMAIL_SYSTEM_FROM or EMAIL_DEFAULT_FROM)', isFinal: true };
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(CALL_MS)]);
      await email.send({ id: newId(), to, from, subject, content: { html: null, text: body } }, signal);
      return null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isFinal = error instanceof ProviderFailure && error.kind === 'rejected';
      return {
        reason: (secret === undefined ? message : message.replaceAll(secret, '…')).replaceAll(to, '…'),
        isFinal,
      };
    }
  }

  async function untilIdle(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  return {
    hasSender: from !== null,
    waiting: () => queue.length,
    post(posting) {
      if (isClosed || queue.length >= MAX_WAITING) return 'refused';
      const { kind, to, source } = posting;
      const ofSource = queue.filter((other) => other.source === source);
      if (ofSource.length >= MAX_WAITING_PER_SOURCE) return 'refused';
      const ofRecipient = queue.filter((other) => other.to === to && other.kind === kind);
      if (ofRecipient.length >= MAX_WAITING_PER_RECIPIENT) return 'dropped';
      queue.push(posting);
      // Only after the caller has continued.
      setImmediate(startNext);
      return 'taken';
    },
    async close() {
      isClosed = true;
      startNext();
      await within(CLOSE_WITHIN_MS, untilIdle(), () => undefined);
      if (queue.length > 0) log.warn('system emails dropped at shutdown', { count: queue.length });
      queue.length = 0;
      closing.abort();
      await untilIdle();
    },
  };
}
