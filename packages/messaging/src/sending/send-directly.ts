import { createHash } from 'node:crypto';
import { AppError, assertNever, type MessageStatus, type OrgId } from '@jobline/contracts';
import { type Db, untilPostgresAnswers } from '@jobline/db';
import { beginDirectSend, DIRECT_CALL, type OnceKey, recordFailure, recordSent } from '@jobline/db/message-transitions';
import type { EmailRequest, SmsRequest } from '@jobline/handlers/ports';
import { elapsedMs, pause } from '@jobline/runtime';
import { type CallEnd, handOver } from './hand-over.js';
import { type Outgoing, outgoingEmail, outgoingSms } from './outgoing.js';
import type { SendDeps } from './send-in-job.js';

/** A message as the caller of a direct send is told of it. */
export interface DirectlySent {
  id: string;
  status: MessageStatus;
  recipient: string;
  sender: string | null;
  subject: string | null;
  segments: number | null;
  provider: string;
  providerMessageId: string | null;
  /** Whether an earlier request with the same key sent it. */
  replayed: boolean;
}

/**
 * Sends while the caller waits, past the queue. With a key it is sent once: a twin waits for the first. Throws AppError
 * `suppressed`, `provider_error`, `idempotency_key_reused`, `conflict` when a twin takes too long, and `unknown_effect`
 * when nobody knows what came of an earlier request with the key.
 */
export interface DirectSends {
  email(orgId: OrgId, email: EmailRequest, idempotencyKey: string | undefined): Promise<DirectlySent>;
  sms(orgId: OrgId, sms: SmsRequest, idempotencyKey: string | undefined): Promise<DirectlySent>;
}

/** The limits of waiting. */
export interface DirectTimes {
  /** A provider that has not answered by then is given up. */
  callMs: number;
  /** A call that began so long ago has ended, and if nobody has written how, nobody knows. Longer than a call. */
  deadMs: number;
  /** So long a twin waits for the first. Longer than it takes to find a call dead. */
  twinMs: number;
}

const TIMES: DirectTimes = { callMs: 20_000, deadMs: 25_000, twinMs: 30_000 };
const RECORD_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 100;
/** Of a provider's, in an answer. */
const MAX_WORDS = 200;

export function createDirectSends(deps: SendDeps, times: DirectTimes = TIMES): DirectSends {
  const { db } = deps;
  return {
    async email(orgId, email, key) {
      const from = email.from ?? deps.email.defaultFrom;
      if (from === null) throw noSender();
      const outgoing = outgoingEmail(deps.email, { ...email, from });
      return sendOnce(db, times, orgId, outgoing, key === undefined ? null : onceKey(key, outgoing));
    },
    async sms(orgId, sms, key) {
      const outgoing = outgoingSms(deps.sms, sms);
      return sendOnce(db, times, orgId, outgoing, key === undefined ? null : onceKey(key, outgoing));
    },
  };
}

async function sendOnce(
  db: Db,
  times: DirectTimes,
  orgId: OrgId,
  outgoing: Outgoing,
  once: OnceKey | null,
): Promise<DirectlySent> {
  for (const startedAt = performance.now(); ; await pause(LOOK_EVERY_MS)) {
    const begun = await beginDirectSend(db, orgId, outgoing.message, once);
    switch (begun.kind) {
      case 'begun':
        return send(db, times, outgoing, once);
      case 'suppressed':
        throw suppressed();
      case 'reused':
        throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
      case 'used': {
        const { isSent, callingForMs, ...message } = begun.message;
        if (isSent) return { ...message, replayed: true };
        if (callingForMs === null || callingForMs > times.deadMs) throw await unknownEffect(db, message.id);
        break;
      }
      case 'freed':
        break;
      default:
        return assertNever(begun);
    }
    if (elapsedMs(startedAt) > times.twinMs) {
      throw new AppError('conflict', 'Another request with this Idempotency-Key is still in progress.');
    }
  }
}

async function send(db: Db, times: DirectTimes, outgoing: Outgoing, once: OnceKey | null): Promise<DirectlySent> {
  const { id, recipient, sender, subject, segments, provider } = outgoing.message;
  const call = { id, calling: DIRECT_CALL, idempotencyKey: once?.key };
  const end = await handOver(() => outgoing.send(id, AbortSignal.timeout(times.callMs)));
  const sent = await untilPostgresAnswers(
    () =>
      end.kind === 'accepted' ? recordSent(db, call, end.providerMessageId) : recordFailure(db, call, end.failure),
    { signal: AbortSignal.timeout(RECORD_WITHIN_MS) },
  );
  if (!sent) throw end.kind === 'failed' ? providerError(end) : new Error('the message is gone');
  const { status, providerMessageId } = sent;
  return { id, status, recipient, sender, subject, segments, provider, providerMessageId, replayed: false };
}

/** The call has no end on record, or one that tells nothing: from now on the message says so. */
async function unknownEffect(db: Db, id: string): Promise<AppError> {
  await recordFailure(
    db,
    { id, calling: DIRECT_CALL },
    { kind: 'unknown', code: 'unknown_effect', message: 'the service broke off while it was sent' },
  );
  return new AppError(
    'unknown_effect',
    `The request broke off while its provider was called: nobody knows whether message ${id} was sent. Look into its history before you send it anew under another key.`,
  );
}

function providerError({ failure, error }: Extract<CallEnd, { kind: 'failed' }>): AppError {
  const what = failure.kind === 'refused' ? 'The provider did not take the message' : 'The provider did not answer';
  return new AppError('provider_error', `${what}: ${failure.message.slice(0, MAX_WORDS)}`, { cause: error });
}

function suppressed(): AppError {
  return new AppError('suppressed', 'The recipient is suppressed after a bounce or a complaint.');
}

function noSender(): AppError {
  const message = '"from" is required: there is no default sender (EMAIL_DEFAULT_FROM)';
  return new AppError('validation_failed', 'The request breaks a rule; see details.', {
    details: [{ path: 'from', message }],
  });
}

/** What is asked for, as it goes out: a template that was changed since asks for something else. */
function onceKey(key: string, { message }: Outgoing): OnceKey {
  const { channel, recipient, sender, subject, body } = message;
  const content = JSON.stringify([`/${channel}/send`, recipient, sender, subject, body]);
  return { key, contentHash: new Uint8Array(createHash('sha256').update(content).digest()) };
}
