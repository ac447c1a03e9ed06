import { segmentsOf } from '@jobline/contracts';
import type { CallFailure, NewCopy, NewMessage } from '@jobline/db/message-transitions';
import { HandlerError, ProviderFailure } from '@jobline/handlers/errors';
import {
  type AcceptedEmail,
  addressKey,
  type Chat,
  type ChatMessage,
  type EmailContent,
  type EmailProvider,
  type EmailRequest,
  formsOf,
  type SmsProvider,
  type SmsRequest,
} from '@jobline/handlers/ports';
import { newId, siblingId } from '@jobline/runtime';
import { storedChat } from '../chat-content.js';

/** A message as it is recorded, and the call that sends it under the id of its record. */
export interface Outgoing {
  message: NewMessage;
  /** The further recipients of an email. */
  copies: readonly NewCopy[];
  /** Whether the provider may accept an email for some of its recipients. */
  isInPart: boolean;
  /** `only`: the ids of the copies to send, if the other recipients have the email. */
  send(id: string, signal: AbortSignal, only?: ReadonlySet<string>): Promise<AcceptedEmail>;
}

const ALONE = { copies: [], isInPart: false } as const;

/** The first attachment that the provider does not accept because it is empty, or null. */
export function emptyAttachment(
  { acceptsEmptyAttachments, provider }: EmailProvider,
  { attachments = [] }: EmailRequest,
) {
  const n = acceptsEmptyAttachments ? -1 : attachments.findIndex(({ bytes }) => bytes.length === 0);
  return n < 0 ? null : { path: `attachments[${n}]`, issue: `is empty: ${provider} accepts no empty attachment` };
}

/** `from` is the sender of the message. */
export function outgoingEmail(
  provider: EmailProvider,
  { to, cc = [], bcc = [], ...email }: EmailRequest & { from: string },
  content: EmailContent,
): Outgoing {
  const { from, replyTo, subject, texts, headers, attachments } = email;
  const copy = (kind: NewCopy['kind']) => (recipient: string) => {
    return { recipient, addresses: formsOf(recipient), key: addressKey(recipient), kind };
  };
  const copies: NewCopy[] = [...cc.map(copy('cc')), ...bcc.map(copy('bcc'))];
  return {
    message: {
      id: newId(),
      channel: 'email',
      provider: provider.provider,
      recipient: to,
      addresses: formsOf(to),
      sender: from,
      subject,
      template: email.template ?? null,
      body: texts.body ?? texts.html ?? texts.text ?? '',
      segments: null,
    },
    copies,
    isInPart: provider.acceptsInPart,
    send: (id, signal, only) =>
      provider.send(
        {
          ...{ id, to, from, replyTo, subject, content, headers, attachments, only },
          copies: copies.map(({ recipient, key, kind }) => ({ id: siblingId(id, key), to: recipient, kind })),
        },
        signal,
      ),
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
      addresses: [to],
      sender: from,
      subject: null,
      template: sms.template ?? null,
      body: message,
      segments: segmentsOf(message),
    },
    ...ALONE,
    send: (id, signal) => provider.send({ id, to, from, message }, signal),
  };
}

export function outgoingChat(provider: Chat, chat: ChatMessage): Outgoing {
  return {
    message: {
      id: newId(),
      channel: 'chat',
      provider: provider.provider,
      recipient: chat.to,
      addresses: [chat.to],
      sender: null,
      template: null,
      ...storedChat(chat),
      segments: null,
    },
    ...ALONE,
    send: (_id, signal) => provider.send(chat, signal),
  };
}

/** The result of a call to a provider. */
export type SendResult =
  | { kind: 'accepted'; accepted: AcceptedEmail }
  | { kind: 'failed'; failure: CallFailure; error: unknown };

/** Calls a provider and returns what is known about the result. Never rejects. */
export async function attemptSend(call: () => Promise<AcceptedEmail>): Promise<SendResult> {
  try {
    return { kind: 'accepted', accepted: await call() };
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error), error };
  }
}

/**
 * Decides whether the provider may have accepted the message: after any error other than a clear statement of the
 * provider, it may have.
 */
export function failureOf(error: unknown): CallFailure {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof HandlerError && !(error instanceof ProviderFailure && error.kind === 'ambiguous');
  return isKnown
    ? { kind: 'refused', code: error.code, message }
    : { kind: 'unknown', code: 'unknown_effect', message: `it is unknown whether the message was sent: ${message}` };
}
