import { assertNever } from '@jobline/contracts';
import { type Db, untilPostgresAnswers } from '@jobline/db';
import { beginJobSend, recordFailure, recordSent } from '@jobline/db/message-transitions';
import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { EmailProvider, Messages, SendingRun, SentMessage, SmsProvider } from '@jobline/handlers/ports';
import { handOver } from './hand-over.js';
import { type Outgoing, outgoingEmail, outgoingSms } from './outgoing.js';

export interface SendDeps {
  db: Db;
  email: EmailProvider;
  sms: SmsProvider;
}

/**
 * The messages of jobs: the row first, then the provider, then what came of it. An attempt that finds that the provider
 * has the message, by the record of an earlier one or by feedback, does not send it again. Where an earlier call began
 * and neither tells how it ended, it is sent, perhaps for the second time: a job is run at least once.
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

async function sendInJob(db: Db, { message, send }: Outgoing, run: SendingRun): Promise<SentMessage> {
  const { orgId, idempotencyKey: key, attempt, signal, log } = run;
  const segments = message.segments ?? 1;
  // From here on a fired signal means that nobody knows.
  signal.throwIfAborted();
  const begun = await beginJobSend(db, orgId, { key, attempt }, message);
  switch (begun.kind) {
    case 'sent': {
      const { id: messageId, provider, providerMessageId } = begun.message;
      log('info', `message ${messageId} was sent by an earlier attempt, and is not sent again`);
      return { messageId, provider, providerMessageId, segments };
    }
    case 'suppressed':
      throw new PermanentError('the recipient is suppressed after a bounce or a complaint', { code: 'suppressed' });
    case 'lost':
      throw new HandlerError('handler_error', 'the job is no longer in the hands of this worker');
    case 'begun':
      break;
    default:
      return assertNever(begun);
  }

  const { id, unknown } = begun;
  if (unknown) log('warn', 'an earlier attempt broke off while it sent this message: it may arrive twice');
  const call = { id, calling: attempt };
  const end = await handOver(() => send(id, signal));
  if (end.kind === 'accepted') {
    const { providerMessageId } = end;
    await untilPostgresAnswers(() => recordSent(db, call, providerMessageId), { signal });
    return { messageId: id, provider: message.provider, providerMessageId, segments };
  }
  const sent = await untilPostgresAnswers(() => recordFailure(db, call, end.failure), { signal });
  if (!sent) throw end.error;
  log('info', `feedback of ${sent.provider} says that the message was sent all the same`);
  return { messageId: id, provider: sent.provider, providerMessageId: sent.providerMessageId, segments };
}

function noSender(): PermanentError {
  return new PermanentError('there is no default sender (EMAIL_DEFAULT_FROM): name one in "from"', {
    code: 'invalid_payload',
  });
}
