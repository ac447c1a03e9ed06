import { createHmac } from 'node:crypto';
import { isUuid } from '@jobline/runtime';
import {
  type Callback,
  type CallbackHead,
  type Feedback,
  isEqual,
  type Meanings,
  readId,
  readWords,
  statusEvent,
} from './callback.js';

/*
 * Status callbacks of Twilio's Messages API. Sources: twilio.com/docs/messaging/guides/track-outbound-message-status
 * (fields and statuses), twilio.com/docs/usage/security and github.com/twilio/twilio-node, src/webhooks/webhooks.ts
 * (signature).
 */

/** The query parameter of the callback URL that carries our own id of the message. */
export const MESSAGE_PARAM = 'message';

const SIGNATURE = 'x-twilio-signature';

/** A callback has about 1 KB. The time to sort its fields is limited by this. */
const MAX_FORM_BYTES = 64 * 1024;

/** Whether the callback has a signature that can be verified. */
export function hasTwilioSignature({ headers }: CallbackHead, tokens: readonly (string | undefined)[]): boolean {
  return typeof headers[SIGNATURE] === 'string' && tokens.some((token) => token);
}

/** Whether Twilio has signed this URL and exactly these fields with one of the auth tokens. */
export function isSignedByTwilio({ url, body, headers }: Callback, tokens: readonly (string | undefined)[]): boolean {
  const signature = headers[SIGNATURE];
  if (typeof signature !== 'string' || body.length > MAX_FORM_BYTES) return false;
  const fields = signedFields(formOf(body));
  const signs = (token: string) =>
    spellingsOf(url).filter((spelling) => isEqual(signature, hmac(token, spelling + fields))).length > 0;
  return tokens.filter((token) => token && signs(token)).length > 0;
}

function hmac(token: string, text: string): string {
  return createHmac('sha1', token).update(text).digest('base64');
}

/** Some servers of Twilio sign the URL with its port, and others without it, also if it is the usual port. */
function spellingsOf(url: string): string[] {
  const [, origin = '', port, rest = ''] = /^(https?:\/\/[^/]*?)(:\d+)?(\/.*)$/i.exec(url) ?? [];
  const usual = /^https:/i.test(origin) ? ':443' : ':80';
  return [origin + rest, origin + (port ?? usual) + rest];
}

/** Each distinct field once, sorted by name and then by value, without separators. */
function signedFields(form: URLSearchParams): string {
  const fields = new Set([...form].map(([name, value]) => `${name}\0${value}`));
  return [...fields]
    .sort()
    .map((field) => field.replace('\0', ''))
    .join('');
}

function formOf(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(new TextDecoder().decode(body));
}

const MEANINGS: Meanings = new Map([
  ['accepted', 'sent'],
  ['scheduled', 'sent'],
  ['queued', 'sent'],
  ['sending', 'sent'],
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'delivered'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

/** Reads a status callback: a form with the status of one message. */
export function readTwilioStatus({ body, query }: Callback): Feedback | null {
  const form = formOf(body);
  const ours = query.get(MESSAGE_PARAM)?.toLowerCase() ?? '';
  const more = { messageId: isUuid(ours) ? ours : null, reason: readReason(form) };
  const event = statusEvent(form.get('MessageSid'), form.get('MessageStatus'), MEANINGS, more);
  return event && { events: [event], unreadableCount: 0 };
}

/** Most callbacks about a failure have only the number of the error, which Twilio's documentation explains. */
function readReason(form: URLSearchParams): string | null {
  const code = readId(form.get('ErrorCode'));
  const words = readWords(form.get('ErrorMessage'));
  if (code === null || code === '0') return words;
  return words === null ? `Twilio error ${code}` : `${words} (${code})`;
}
