import { type Channel, REDACTED } from '@jobline/contracts';
import type { SearchedJob, SearchedMessage } from '@jobline/db';
import { aboutsOf, subjectOf } from '@jobline/handlers';

/** The texts by which searches find a job or a message. What is redacted is not among them. */

/** The job type that sends the messages of a channel: a key for other types does not find them. */
export const TYPE_OF_CHANNEL = {
  email: 'send_email',
  sms: 'send_sms',
  chat: 'send_chat_message',
} as const satisfies Record<Channel, string>;

export interface JobTexts {
  /** For people: whom or what the job is about, and its subject. */
  names: string[];
  /** Its key, tags and error. */
  others: string[];
}

export function textsOfJob({ type, tags, limitKey, payload, errorMessage }: SearchedJob): JobTexts {
  const named =
    payload === null ? [] : [...aboutsOf(type, payload).map(({ value }) => value), subjectOf(type, payload)];
  const names = named.filter((text) => text !== null).filter((text) => text !== REDACTED);
  const key = limitKey === null ? [] : [limitKey];
  const error = errorMessage === null ? [] : [errorMessage];
  return { names, others: [...key, ...tags, ...error] };
}

export function textsOfMessage({ recipient, subject }: SearchedMessage): string[] {
  return [recipient, ...(subject === null ? [] : [subject])].filter((text) => text !== REDACTED);
}

/** Words of the index that no text has: the kind of an entry, and the job type that it belongs to. */
export function scopesOf(kind: 'job' | 'message', type: string): [kind: string, type: string] {
  return [`:${kind}`, `:${kind}:${type}`];
}
