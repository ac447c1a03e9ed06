import { assertNever } from '@jobline/contracts';
import { type Db, untilPostgresAnswers } from '@jobline/db';
import { beginJobSend, recordFailure, recordSent } from '@jobline/db/message-transitions';
import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type {
  Chat,
  EmailProvider,
  JobRun,
  Messages,
  ReadEmailTexts,
  SentMessage,
  SmsProvider,
} from '@jobline/handlers/ports';
import { beforeEffect } from '../before-effect.js';
import { type BegunEmail, COPY_PAUSES_MS, leaveOutSuppressed, sendOpenCopies, settleAccepted } from './email-copies.js';
import { attemptSend, emptyAttachment, type Outgoing, outgoingChat, outgoingEmail, outgoingSms } from './outgoing.js';

export interface SendDeps {
  db: Db;
  email: EmailProvider;
  sms: SmsProvider;
  readEmailTexts: ReadEmailTexts;
  /** The pauses before further tries of a copy that was refused for now. */
  copyPausesMs?: readonly number[];
}

/**
 * Creates the port for messages of jobs. It writes a row for each recipient, then calls the provider, then records the result. A message
 * that the provider is known to have accepted, by the record of an earlier attempt or by feedback, is not sent again.
 * If an earlier call started and its result is unknown, the message is sent and may arrive twice: a job runs at least
 * once.
 */
export function createMessages(deps: SendDeps & { chat: Chat }): Messages {
  return {
    sendChat: (chat, run) => sendInJob(deps, outgoingChat(deps.chat, chat), run),
    async sendEmail(requested, run) {
      const from = requested.from ?? deps.email.defaultFrom;
      if (from === null) throw noSender();
      const empty = emptyAttachment(deps.email, requested);
      if (empty !== null)
        throw new PermanentError(`"payload.${empty.path}" ${empty.issue}`, { code: 'invalid_payload' });
      const content = await deps.readEmailTexts(run.orgId, requested.texts, run.signal);
      if (content.text === null) run.log('warn', 'the email has no text part: to make it from its HTML took too long');
      const { email, leftOut } = await beforeEffect(() => leaveOutSuppressed(deps.db, run.orgId, requested));
      for (const to of leftOut) run.log('warn', `${to} is left out: suppressed after a bounce or a complaint`);
      return sendInJob(deps, outgoingEmail(deps.email, { ...email, from }, content), run);
    },
    sendSms: (sms, run) => sendInJob(deps, outgoingSms(deps.sms, sms), run),
  };
}

async function sendInJob(
  { db, copyPausesMs: pausesMs = COPY_PAUSES_MS }: Pick<SendDeps, 'db' | 'copyPausesMs'>,
  outgoing: Outgoing,
  run: JobRun,
): Promise<SentMessage> {
  const { message, copies, send } = outgoing;
  const { orgId, idempotencyKey: key, attempt, signal, log } = run;
  const segments = message.segments ?? 1;
  const email = (id: string): BegunEmail => ({ db, outgoing, id, calling: attempt, pausesMs, signal, log });
  // If the signal is aborted after this point, it is unknown whether the message was sent.
  signal.throwIfAborted();
  const begun = await beforeEffect(() => beginJobSend(db, orgId, { key, attempt }, message, copies));
  switch (begun.kind) {
    case 'sent': {
      const { id: messageId, provider, providerMessageId } = begun.message;
      log('info', `message ${messageId} was sent by an earlier attempt and is not sent again`);
      await sendOpenCopies(email(messageId), begun.openCopies);
      return { messageId, provider, providerMessageId, segments };
    }
    case 'suppressed':
      throw new PermanentError('the recipient is suppressed after a bounce or a complaint', { code: 'suppressed' });
    case 'lost':
      throw new HandlerError('handler_error', 'the worker has lost its claim on this job');
    case 'begun':
      break;
    default:
      return assertNever(begun);
  }

  const { id, unknown, sentCopy } = begun;
  if (sentCopy) {
    const { provider, providerMessageId } = sentCopy;
    await untilPostgresAnswers(() => recordSent(db, { id, calling: attempt }, providerMessageId), { signal });
    log('info', `feedback of ${provider} on a copy shows that an earlier attempt sent message ${id}`);
    return { messageId: id, provider, providerMessageId, segments };
  }
  if (unknown) log('warn', 'an earlier attempt ended while it sent this message: it may arrive twice');
  const end = await attemptSend(() => send(id, signal));
  if (end.kind === 'accepted') {
    await settleAccepted(email(id), end.accepted, signal);
    return { messageId: id, provider: message.provider, providerMessageId: end.accepted.providerMessageId, segments };
  }
  const call = { id, calling: attempt };
  const sent = await untilPostgresAnswers(() => recordFailure(db, call, end.failure), { signal });
  if (!sent) throw end.error;
  log('info', `the call failed, but feedback of ${sent.provider} shows that the message was sent`);
  return { messageId: id, provider: sent.provider, providerMessageId: sent.providerMessageId, segments };
}

function noSender(): PermanentError {
  return new PermanentError('no default sender is configured (EMAIL_DEFAULT_FROM): set "from"', {
    code: 'invalid_payload',
  });
}
