import type { Schemas } from '@jobline/client';
import { type Channel, EMAIL_STATUSES, SMS_STATUSES } from '@jobline/contracts';
import { flag, instant, oneOf, search, text } from '../../search-params.js';

/** The filters of a history: the search parameters that the API also supports. */
const FILTERS = {
  /** The whole recipient. */
  to: text(320),
  /** Words of the subject. Only emails have one. */
  q: text(200),
  /** The id of the job that sent the messages. */
  job: text(128),
  created_after: instant(),
  created_before: instant(),
};
const filterSearch = search(FILTERS);

const shared = { ...FILTERS, id: text(64) };
/** `template`: the id of the template that is being filled in. */
const composing = { template: text(64) };
export const emailSearch = search({
  ...shared,
  ...composing,
  folder: oneOf([...EMAIL_STATUSES, 'drafts', 'suppressed']),
  compose: flag(),
});
export const smsSearch = search({
  ...shared,
  ...composing,
  status: oneOf(SMS_STATUSES),
  tab: oneOf(['compose', 'history']),
});
export const chatSearch = search({ ...shared, status: oneOf(SMS_STATUSES) });

export type Filters = ReturnType<typeof filterSearch>;
/** Undefined removes a filter. */
export type FilterChange = { [Name in keyof Filters]: Filters[Name] | undefined };

// The cast: the keys are those of FILTERS.
export const NO_FILTERS = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, undefined])) as FilterChange;

export function isFiltered(params: Filters): boolean {
  return Object.keys(filterSearch(params)).length > 0;
}

/** Returns the filters that are set, with times in the format of the API. */
export function filtersOf(params: Filters): Filters {
  const { created_after: after, created_before: before, ...filters } = filterSearch(params);
  return {
    ...filters,
    ...(after && { created_after: new Date(after).toISOString() }),
    ...(before && { created_before: new Date(before).toISOString() }),
  };
}

export type SmsStatus = Schemas['Sms']['status'];
export type Message = Schemas['Email'] | Schemas['Sms'] | Schemas['ChatMessage'];
/** One message of each channel. */
export interface Details {
  email: Schemas['EmailDetail'];
  sms: Schemas['SmsDetail'];
  chat: Schemas['ChatMessageDetail'];
}
export type MessageDetail = Details[Channel];

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
