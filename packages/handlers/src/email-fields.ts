/** The fields of an email that `send_email` and `POST /email/send` share. */

import { EMAIL_LIMITS, MAX_EMAIL_LENGTH } from '@jobline/contracts';
import Joi, { type ArraySchema, type ObjectSchema, type StringSchema } from 'joi';
import { listOf } from './bounded-schema.js';
import { addressKey } from './email-address.js';
import { type AttachmentRequest, attachmentsField } from './email-attachments.js';
import { emailRecipient, sender, storable } from './messages.js';

export interface EmailFields {
  cc?: string[] | undefined;
  bcc?: string[] | undefined;
  reply_to?: string | undefined;
  html?: string | undefined;
  text?: string | undefined;
  headers?: Record<string, string> | undefined;
  attachments?: AttachmentRequest[] | undefined;
}

export const emailFields = {
  cc: copies(({ to }) => [to]).description('Further recipients, whom all recipients see.'),
  bcc: copies(({ to, cc }) => [to, ...(Array.isArray(cc) ? cc : [])]).description(
    'Further recipients, whom the others do not see.',
  ),
  reply_to: sender().description('The address for replies, perhaps with a name.'),
  html: emailText().description('Instead of `body`. Without `text`, a text part is made from it.'),
  text: emailText().description('Instead of `body`, or in addition to `html`.'),
  attachments: attachmentsField,
  headers: headers().description(
    '`List-Unsubscribe`, `List-Unsubscribe-Post`, `In-Reply-To`, `References` and headers that begin with `X-`.',
  ),
};

/** For the API document: an email has a body, or HTML, text or both. `others`: the groups of fields instead of these. */
export function withTexts(...others: string[][]): { jsonSchema: object } {
  return {
    jsonSchema: {
      oneOf: [
        { required: ['subject', 'body'] },
        { required: ['subject', 'html'], properties: { text: {} } },
        { required: ['subject', 'text'], properties: { html: false } },
        ...others.map((required) => ({ required })),
      ],
    },
  };
}

/** A part of an email, or its body: required unless the email has other parts. */
export function emailBody(): StringSchema {
  const unlessText = Joi.when('text', absentIf(Joi.required()));
  return storable(Joi.string())
    .when('template', absentIf(Joi.when('html', absentIf(unlessText))))
    .description('HTML if it contains HTML, otherwise plain text.');
}

function emailText(): StringSchema {
  return storable(Joi.string()).when('template', absentIf(Joi.optional()));
}

/** The condition on another field: if it is there, this one must not be. */
function absentIf(otherwise: Joi.SchemaLike) {
  // biome-ignore lint/suspicious/noThenProperty: required by Joi's API
  return { is: Joi.exist(), then: Joi.forbidden(), otherwise };
}

/** `others`: the addresses that the email has already. They may be invalid, because their fields report that. */
function copies(others: (email: Record<string, unknown>) => unknown[]): ArraySchema<string[]> {
  return listOf(EMAIL_LIMITS.recipients - 1, emailRecipient()).custom((own: string[], { state, message }) => {
    // The cast: the parent of the field is an object.
    const [email = {}] = state.ancestors as [Record<string, unknown>?];
    const all = [...others(email).slice(0, EMAIL_LIMITS.recipients), ...own];
    if (all.length > EMAIL_LIMITS.recipients) {
      return message({ custom: `{{#label}} has too many addresses: an email has at most ${EMAIL_LIMITS.recipients}` });
    }
    const keys = all.map((one) => (typeof one === 'string' && one.length <= MAX_EMAIL_LENGTH ? addressKey(one) : one));
    const twice = keys.findIndex((key, n) => n > 0 && keys.indexOf(key) < n);
    if (twice < 0) return own;
    return message(
      { custom: '{{#label}} has an address that the email has already: {{#twice}}' },
      { twice: all[twice] },
    );
  });
}

/** Headers whose value is a list of addresses or ids. Encoded words have no meaning in them. */
const STRUCTURED = /^(?:list-unsubscribe|list-unsubscribe-post|in-reply-to|references)$/i;
/** Any other header of a caller: the printable ASCII of RFC 5322 without the colon. */
const CUSTOM = /^x-[!-9;-~]+$/i;
/** With these headers mail services take commands, such as other recipients. */
const COMMANDS = /^x-(?:smtpapi|msys-api|sg-|mc-|mailgun-|mj-|mailjet-|ses-|pm-|postmark-)/i;

function headers(): ObjectSchema<Record<string, string>> {
  return Joi.object<Record<string, string>>()
    .custom((given: object, { message }) => {
      const issue = headersIssue(given);
      return issue === null ? given : message({ custom: '{{#label}} {{#issue}}' }, { issue });
    })
    .meta({ jsonSchema: { additionalProperties: { type: 'string' }, maxProperties: EMAIL_LIMITS.headers } });
}

function headersIssue(given: object): string | null {
  const entries: [string, unknown][] = Object.entries(given);
  if (entries.length > EMAIL_LIMITS.headers) return `must have at most ${EMAIL_LIMITS.headers} headers`;
  const names = entries.map(([name]) => name.toLowerCase());
  if (new Set(names).size < names.length) return 'has a header twice: the case of names does not matter';
  for (const [name, value] of entries) {
    const issue = headerIssue(name, value);
    if (issue !== null) return `has an invalid header ${JSON.stringify(name.slice(0, 100))}: ${issue}`;
  }
  return null;
}

function headerIssue(name: string, value: unknown): string | null {
  if (!STRUCTURED.test(name) && (!CUSTOM.test(name) || COMMANDS.test(name))) return 'this name is not allowed';
  if (typeof value !== 'string' || value.trim() === '') return 'its value must be a text';
  const { headerLength } = EMAIL_LIMITS;
  if (name.length + ': '.length + value.length > headerLength) return `it has more than ${headerLength} characters`;
  if (STRUCTURED.test(name)) return /^[ -~]+$/.test(value) ? null : 'its value must be printable ASCII';
  return /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value) ? 'its value must be one line without control characters' : null;
}
