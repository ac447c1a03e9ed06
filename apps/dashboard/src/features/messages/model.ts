import type { Schemas } from '@jobline/client';
import type { Delivery } from '../../product/message/delivery-fields.js';

export type Email = Schemas['Email'];
export type EmailDetail = Schemas['EmailDetail'];
export type Sms = Schemas['Sms'];
export type SmsDetail = Schemas['SmsDetail'];
export type SmsStatus = Sms['status'];

/** The values of a form, which are stored as a draft in this tab. */
export interface Draft {
  to: string;
  delivery: Delivery;
  /** The number of retries of a queued message. */
  max_retries: string;
  /** The earliest time at which a queued message is sent, in ISO 8601; null: immediately. */
  run_at: string | null;
}

export interface EmailDraft extends Draft {
  /** The verified domain to send from. Empty: the default sender. */
  domain: string;
  /** The name before the @, if a domain is chosen. */
  from: string;
  subject: string;
  body: string;
}

export interface SmsDraft extends Draft {
  /** A registered sender ID, or DEFAULT_SENDER. */
  from: string;
  message: string;
}

/** Stands for the default sender. Sender IDs cannot contain a colon. */
export const DEFAULT_SENDER = ':default';

const EMPTY = { to: '', delivery: 'now', max_retries: '3', run_at: null } as const;
export const EMPTY_EMAIL: EmailDraft = { ...EMPTY, domain: '', from: '', subject: '', body: '' };
export const EMPTY_SMS: SmsDraft = { ...EMPTY, from: DEFAULT_SENDER, message: '' };

export function isBlank({ to, subject, body }: EmailDraft): boolean {
  return `${to}${subject}${body}`.trim() === '';
}

/** Returns the email in the format of the API. */
export function emailOf({ to, domain, from, subject, body }: EmailDraft) {
  return { to: to.trim(), subject, body, ...(domain !== '' && { from: `${from.trim()}@${domain}` }) };
}

/** Returns the SMS in the format of the API. */
export function smsOf({ to, from, message }: SmsDraft) {
  return { to: plainNumber(to), message, ...(from !== DEFAULT_SENDER && { from }) };
}

/** Removes the characters that people write between digits. */
export function plainNumber(typed: string): string {
  return typed.replace(/[\s().-]/g, '');
}
