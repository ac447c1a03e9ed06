import type { Jobline, Schemas } from '@jobline/client';
import type { Channel } from '@jobline/contracts';

// Not in `model.ts`, which every page loads with the router.

export type Message = Schemas['Email'] | Schemas['Sms'] | Schemas['ChatMessage'];
/** One message of a channel, with its delivery reports. */
export type MessageDetail<C extends Channel = Channel> = Awaited<ReturnType<Jobline[C]['get']>>;

/** How messages of a channel are called, and the variable that chooses their provider. */
export const CHANNELS = {
  email: { one: 'email', One: 'Email', many: 'emails', variable: 'EMAIL_PROVIDER' },
  sms: { one: 'SMS', One: 'SMS', many: 'SMS', variable: 'SMS_PROVIDER' },
  chat: { one: 'chat message', One: 'Chat message', many: 'chat messages', variable: 'CHAT_PROVIDER' },
} as const satisfies Record<Channel, object>;

/** How a recipient got the email. */
export const RECIPIENT_KINDS = { to: 'To', cc: 'Cc', bcc: 'Bcc' } as const;

/** The subject of an email, or the content of another message; null if it was deleted. */
export function contentOf(message: Message | MessageDetail): string | null {
  if ('subject' in message) return message.subject;
  if ('segments' in message || message.template === null) return message.message;
  return [`Template ${message.template}`, ...(message.parameters ?? [])].join('\n');
}
