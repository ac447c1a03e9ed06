import type { Jobline, Schemas } from '@jobline/client';
import type { Path } from 'react-hook-form';
import type { WithDelivery } from '../../product/message/delivery-fields.js';

/** The values of a form, which are stored as a draft in this tab. */
export interface Draft extends WithDelivery {
  to: string;
}

export interface EmailDraft extends Draft {
  /** The verified domain to send from. Empty: the default sender. */
  domain: string;
  /** The name before the @, if a domain is chosen. */
  from: string;
  cc: string[];
  bcc: string[];
  reply_to: string;
  subject: string;
  /** What the body is. `auto`: the API detects it. `both`: HTML and a plain text. */
  format: 'auto' | 'text' | 'html' | 'both';
  body: string;
  /** The plain text in addition to HTML, with the format `both`. */
  text: string;
  /** Each as JSON of an Attachment: drafts have plain values. */
  attachments: string[];
}

/** An attachment of a draft: a file that is uploaded, or an artifact of a job. */
export type Attachment = { file: string; filename: string; size: number } | { job: string; artifact?: string };

export interface SmsDraft extends Draft {
  /** A registered sender ID, or DEFAULT_SENDER. */
  from: string;
  message: string;
}

/** Stands for the default sender. Sender IDs cannot contain a colon. */
export const DEFAULT_SENDER = ':default';

/** What the API says about a message that it has sent. Only an SMS has segments. */
export type Accepted = Schemas['SentEmail'] & Pick<Schemas['SentSms'], 'segments'>;

/** What sending differs in: the form, and the message that the API gets. */
export interface MessageForm<D extends Draft> {
  /** The name of the channel and of the draft. */
  channel: 'email' | 'sms';
  empty: D;
  messageOf: (draft: D) => { from?: string };
  /** The field with the value that has this path in the API. */
  fieldOf: (path: string, draft: D) => string;
  send: (api: Jobline, draft: D, options?: { idempotencyKey: string }) => Promise<Accepted>;
  /** The fields that must be valid in a test. */
  tested: readonly Path<D>[];
  /** The fields that a filled template replaces. */
  textsOf: (filled: Schemas['Preview']) => Partial<D>;
}

const EMPTY = { to: '', delivery: 'now', max_retries: '3', run_at: null } as const;

export const EMAIL: MessageForm<EmailDraft> = {
  channel: 'email',
  empty: {
    ...EMPTY,
    ...{ domain: '', from: '', cc: [], bcc: [], reply_to: '', subject: '' },
    ...{ format: 'auto', body: '', text: '', attachments: [] },
  },
  messageOf: emailOf,
  fieldOf: emailField,
  send: (api, draft, options) => api.email.send(emailOf(draft), options),
  tested: ['from', 'subject', 'body', 'text'],
  textsOf: ({ subject, body }) => ({ ...(subject !== undefined && { subject }), body }),
};

export const SMS: MessageForm<SmsDraft> = {
  channel: 'sms',
  empty: { ...EMPTY, from: DEFAULT_SENDER, message: '' },
  messageOf: smsOf,
  fieldOf: (path) => path.replace(/^payload\./, ''),
  send: (api, draft, options) => api.sms.send(smsOf(draft), options),
  tested: ['message'],
  textsOf: ({ body }) => ({ message: body }),
};

export function isBlank({ to, cc, bcc, reply_to, subject, body, text, attachments }: EmailDraft): boolean {
  return [to, ...cc, ...bcc, reply_to, subject, body, text, ...attachments].join('').trim() === '';
}

/** Returns the email in the format of the API. */
function emailOf(draft: EmailDraft) {
  const { to, cc, bcc, reply_to, domain, from, subject, attachments } = draft;
  return {
    to: to.trim(),
    subject,
    ...textsOf(draft),
    ...(domain !== '' && { from: `${from.trim()}@${domain}` }),
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(reply_to.trim() !== '' && { reply_to: reply_to.trim() }),
    ...(attachments.length > 0 && { attachments: attachments.map((one) => sourceOf(readAttachment(one))) }),
  };
}

function textsOf({ format, body, text }: EmailDraft): { body?: string; html?: string; text?: string } {
  if (format === 'auto') return { body };
  if (format === 'text') return { text: body };
  return { html: body, ...(format === 'both' && { text }) };
}

export function readAttachment(json: string): Attachment {
  return JSON.parse(json); // only attachments are stored
}

function sourceOf(attachment: Attachment) {
  return 'file' in attachment ? { file: attachment.file, filename: attachment.filename } : attachment;
}

function emailField(path: string, { format }: EmailDraft): string {
  const field = path.replace(/^payload\./, '').replace(/[.[].*/, '');
  return field === 'html' || (field === 'text' && format === 'text') ? 'body' : field;
}

/** Returns the SMS in the format of the API. */
function smsOf({ to, from, message }: SmsDraft) {
  return { to: plainNumber(to), message, ...(from !== DEFAULT_SENDER && { from }) };
}

/** Removes the characters that people write between digits. */
export function plainNumber(typed: string): string {
  return typed.replace(/[\s().-]/g, '');
}
