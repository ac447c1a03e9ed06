import { assertNever } from '@jobline/contracts';
import { type Db, untilPostgresAnswers } from '@jobline/db';
import { beginJobSend, recordFailure, recordSent } from '@jobline/db/message-transitions';
import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { EmailProvider, JobRun, Messages, SentMessage, SmsProvider } from '@jobline/handlers/ports';
import { beforeEffect } from '../before-effect.js';
import { attemptSend, type Outgoing, outgoingEmail, outgoingSms } from './outgoing.js';

export interface SendDeps {
  db: Db;
  email: EmailProvider;
  sms: SmsProvider;
}

/**
 * Creates the port for messages of jobs. It writes a row, then calls the provider, then records the result. A message
 * that the provider is known to have accepted, by the record of an earlier attempt or by feedback, is not sent again.
 * If an earlier call started and its result is unknown, the message is sent and may arrive twice: a job runs at least
 * once.
 */
export function createMessages(deps: SendDeps): Messages {
  return {
    async sendEmail(email, run) {
      const from = email.from ?? deps.email.defaultFrom;
      if (from === null) throw noSender();
      return sendInJob(deps.db, outgoingEmail(deps.email, { ...email, from }), run);
    },
    sendSms: (sms, run) => sendInJob(deps.db, outgoingSms(deps.sms, sms), run),
  };
}

async function sendInJob(db: Db, { message, send }: Outgoing, run: JobRun): Promise<SentMessage> {
  const { orgId, idempotencyKey: key, attempt, signal, log } = run;
  const segments = message.segments ?? 1;
  // If the signal is aborted after this point, it is unknown whether the message was sent.
  signal.throwIfAborted();
  const begun = await beforeEffect(() => beginJobSend(db, orgId, { key, attempt }, message));
  switch (begun.kind) {
    case 'sent': {
      const { id: messageId, provider, providerMessageId } = begun.message;
      log('info', `message ${messageId} was sent by an earlier attempt and is not sent again`);
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

  const { id, unknown } = begun;
  if (unknown) log('warn', 'an earlier attempt ended while it sent this message: it may arrive twice');
  const call = { id, calling: attempt };
  const end = await attemptSend(() => send(id, signal));
  if (end.kind === 'accepted') {
    const { providerMessageId } = end;
    await untilPostgresAnswers(() => recordSent(db, call, providerMessageId), { signal });
    return { messageId: id, provider: message.provider, providerMessageId, segments };
  }
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
