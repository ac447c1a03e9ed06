import { createHash } from 'node:crypto';
import { AppError, assertNever, type MessageStatus, type OrgId } from '@jobline/contracts';
import { type Db, type IdempotencyKey, untilPostgresAnswers } from '@jobline/db';
import { beginDirectSend, DIRECT_CALL, recordFailure } from '@jobline/db/message-transitions';
import type { EmailContent, EmailRequest, EmailTexts, SmsRequest } from '@jobline/handlers/ports';
import { elapsedMs, pause } from '@jobline/runtime';
import { COPY_PAUSES_MS, leaveOutSuppressed, settleAccepted } from './email-copies.js';
import {
  attemptSend,
  emptyAttachment,
  type Outgoing,
  outgoingEmail,
  outgoingSms,
  type SendResult,
} from './outgoing.js';
import type { SendDeps } from './send-in-job.js';

/** The result of a direct send. */
export interface DirectlySent {
  id: string;
  status: MessageStatus;
  recipient: string;
  sender: string | null;
  subject: string | null;
  segments: number | null;
  provider: string;
  providerMessageId: string | null;
  /** Whether the message was sent by an earlier request with the same key. */
  replayed: boolean;
}

/** The message that an earlier request with the same key has sent was erased. */
export interface ErasedSend {
  id: string;
  isErased: true;
}

/**
 * Sends a message while the caller waits, without a queue. With a key, it is sent once: a concurrent duplicate waits
 * for the first request. Throws AppError `suppressed`, `provider_error`, `idempotency_key_reused`, `conflict` if a
 * duplicate waits too long, and `unknown_effect` if the outcome of an earlier request with the key is unknown.
 */
export interface DirectSends {
  email(orgId: OrgId, email: EmailRequest, idempotencyKey: string | undefined): Promise<DirectlySent | ErasedSend>;
  sms(orgId: OrgId, sms: SmsRequest, idempotencyKey: string | undefined): Promise<DirectlySent | ErasedSend>;
}

/** The time limits of direct sends. */
export interface DirectTimes {
  /** The limit of a call to the provider. */
  callMs: number;
  /**
   * A call that started this long ago is dead: without a recorded result, its outcome is unknown. Must be longer than
   * `callMs`.
   */
  deadMs: number;
  /** How long a concurrent duplicate waits for the first request. Must be longer than `deadMs`. */
  duplicateWaitMs: number;
}

const TIMES: DirectTimes = { callMs: 20_000, deadMs: 25_000, duplicateWaitMs: 30_000 };
const RECORD_WITHIN_MS = 4_000;
const READ_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;
/** The maximum length of a provider's message in an error response. */
const MAX_PROVIDER_MESSAGE_LENGTH = 200;

export function createDirectSends(deps: SendDeps, times: DirectTimes = TIMES): DirectSends {
  const sending = { ...deps, times };
  return {
    async email(orgId, requested, key) {
      const from = requested.from ?? deps.email.defaultFrom;
      if (from === null) throw invalid('from', NO_SENDER);
      const empty = emptyAttachment(deps.email, requested);
      if (empty !== null) throw invalid(empty.path, empty.issue);
      const content = await readContent(deps, orgId, requested.texts);
      const { email } = await leaveOutSuppressed(deps.db, orgId, requested);
      const outgoing = outgoingEmail(deps.email, { ...email, from }, content);
      const once = key === undefined ? null : onceKey(key, outgoing, requested);
      return sendOnce(sending, orgId, outgoing, once);
    },
    sms(orgId, sms, key) {
      const outgoing = outgoingSms(deps.sms, sms);
      return sendOnce(sending, orgId, outgoing, key === undefined ? null : onceKey(key, outgoing, null));
    },
  };
}

async function readContent({ readEmailTexts }: SendDeps, orgId: OrgId, texts: EmailTexts): Promise<EmailContent> {
  try {
    return await readEmailTexts(orgId, texts, AbortSignal.timeout(READ_WITHIN_MS));
  } catch (cause) {
    // Too many texts wait in this process.
    throw new AppError('unavailable', 'The email cannot be prepared now; try again later.', { cause });
  }
}

interface Sending extends Pick<SendDeps, 'db' | 'copyPausesMs'> {
  times: DirectTimes;
}

async function sendOnce(
  sending: Sending,
  orgId: OrgId,
  outgoing: Outgoing,
  once: IdempotencyKey | null,
): Promise<DirectlySent | ErasedSend> {
  const { db, times } = sending;
  for (const startedAt = performance.now(); ; await pause(LOOK_EVERY_MS)) {
    const begun = await beginDirectSend(db, orgId, outgoing.message, outgoing.copies, once);
    switch (begun.kind) {
      case 'begun':
        return send(sending, outgoing, once);
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
      case 'erased':
        return { id: begun.id, isErased: true };
      case 'freed':
        break;
      default:
        return assertNever(begun);
    }
    if (elapsedMs(startedAt) > times.duplicateWaitMs) {
      throw new AppError('conflict', 'Another request with this Idempotency-Key is still in progress.');
    }
  }
}

async function send(
  { db, times, copyPausesMs: pausesMs = COPY_PAUSES_MS }: Sending,
  outgoing: Outgoing,
  once: IdempotencyKey | null,
): Promise<DirectlySent> {
  const { id, recipient, sender, subject, segments, provider } = outgoing.message;
  const signal = AbortSignal.timeout(times.callMs);
  const end = await attemptSend(() => outgoing.send(id, signal));
  const recordSignal = AbortSignal.timeout(RECORD_WITHIN_MS);
  // No signal: the tries have their own limit.
  const email = { db, outgoing, id, calling: DIRECT_CALL, pausesMs, signal: new AbortController().signal, log() {} };
  const call = { id, calling: DIRECT_CALL, idempotencyKey: once?.key };
  const sent =
    end.kind === 'accepted'
      ? await settleAccepted(email, end.accepted, recordSignal)
      : await untilPostgresAnswers(() => recordFailure(db, call, end.failure), { signal: recordSignal });
  if (!sent) throw end.kind === 'failed' ? providerError(end) : new Error('the record of the message was deleted');
  const { status, providerMessageId } = sent;
  return { id, status, recipient, sender, subject, segments, provider, providerMessageId, replayed: false };
}

/** Records that the outcome of the call is unknown. */
async function unknownEffect(db: Db, id: string): Promise<AppError> {
  await recordFailure(
    db,
    { id, calling: DIRECT_CALL },
    { kind: 'unknown', code: 'unknown_effect', message: 'the request ended while the message was being sent' },
  );
  return new AppError(
    'unknown_effect',
    `An earlier request with this Idempotency-Key ended during the call to the provider: it is unknown whether message ${id} was sent. Check its history before you send it again with another key.`,
  );
}

function providerError({ failure, error }: Extract<SendResult, { kind: 'failed' }>): AppError {
  const what = failure.kind === 'refused' ? 'The provider rejected the message' : 'The provider did not answer';
  return new AppError('provider_error', `${what}: ${failure.message.slice(0, MAX_PROVIDER_MESSAGE_LENGTH)}`, {
    cause: error,
  });
}

function suppressed(): AppError {
  return new AppError('suppressed', 'The recipient is suppressed after a bounce or a complaint.');
}

const NO_SENDER = 'is required, because no default sender is configured (EMAIL_DEFAULT_FROM)';

function invalid(path: string, issue: string): AppError {
  return new AppError('validation_failed', 'The request is invalid; see `details`.', {
    details: [{ path, message: `"${path}" ${issue}` }],
  });
}

/** Identifies the content as it is sent. If a template has changed since, the content differs. */
function onceKey(key: string, { message }: Outgoing, email: EmailRequest | null): IdempotencyKey {
  const { channel, recipient, sender, subject, body } = message;
  const plain = [`/${channel}/send`, recipient, sender, subject, body];
  const { cc = [], bcc = [], replyTo = null, headers = {}, texts, attachments = [] } = email ?? {};
  const attached = attachments.map(({ bytes, ...rest }) => ({ ...rest, hash: sha256(bytes) }));
  const more = [cc, bcc, replyTo, headers, texts?.html ?? null, texts?.text ?? null, attached];
  // A plain email has the content that earlier versions have stored.
  const isPlain = more.every((value) => value === null || Object.keys(value).length === 0);
  const content = JSON.stringify(isPlain ? plain : [...plain, ...more]);
  return { key, contentHash: new Uint8Array(Buffer.from(sha256(content), 'hex')) };
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
