import type { NewMessage } from '@jobline/db/message-transitions';
import type { EmailProvider, EmailRequest, SmsProvider, SmsRequest } from '@jobline/handlers/ports';
import { newId } from '@jobline/runtime';
import { segmentsOf } from '../segments.js';

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
