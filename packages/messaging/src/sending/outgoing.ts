import { segmentsOf } from '@jobline/contracts';
import type { CallFailure, NewMessage } from '@jobline/db/message-transitions';
import { HandlerError, ProviderFailure } from '@jobline/handlers/errors';
import type { EmailProvider, EmailRequest, SmsProvider, SmsRequest } from '@jobline/handlers/ports';
import { newId } from '@jobline/runtime';

/** A message as it is recorded, and the call that sends it under the id of its record. */
export interface Outgoing {
  message: NewMessage;
  send(id: string, signal: AbortSignal): Promise<{ providerMessageId: string | null }>;
}

/** `from` is the sender of the message. */
export function outgoingEmail(provider: EmailProvider, email: EmailRequest & { from: string }): Outgoing {
  const { to, from, subject, body } = email;
  return {
    message: {
      id: newId(),
      channel: 'email',
      provider: provider.provider,
      recipient: to,
      address: to.toLowerCase(),
      sender: from,
      subject,
      body,
      segments: null,
    },
    send: (id, signal) => provider.send({ id, to, from, subject, body }, signal),
  };
}

export function outgoingSms(provider: SmsProvider, sms: SmsRequest): Outgoing {
  const { to, from, message } = sms;
  return {
    message: {
      id: newId(),
      channel: 'sms',
      provider: provider.provider,
      recipient: to,
      address: to,
      sender: from,
      subject: null,
      body: message,
      segments: segmentsOf(message),
    },
    send: (id, signal) => provider.send({ id, to, from, message }, signal),
  };
}

/** The result of a call to a provider. */
export type SendResult =
  | { kind: 'accepted'; providerMessageId: string | null }
  | { kind: 'failed'; failure: CallFailure; error: unknown };

/** Calls a provider and returns what is known about the result. Never rejects. */
export async function attemptSend(call: () => Promise<{ providerMessageId: string | null }>): Promise<SendResult> {
  try {
    return { kind: 'accepted', ...(await call()) };
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error), error };
  }
}

/**
 * Decides whether the provider may have accepted the message: after any error other than a clear statement of the
 * provider, it may have.
 */
function failureOf(error: unknown): CallFailure {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof HandlerError && !(error instanceof ProviderFailure && error.kind === 'ambiguous');
  return isKnown
    ? { kind: 'refused', code: error.code, message }
    : { kind: 'unknown', code: 'unknown_effect', message: `it is unknown whether the message was sent: ${message}` };
}
