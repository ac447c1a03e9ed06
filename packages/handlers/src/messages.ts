/** What the job types that send messages have in common. Direct sends have the same fields. */

import { type JobErrorCode, MAX_EMAIL_LENGTH, MESSAGE_LIMITS } from '@jobline/contracts';
import Joi, { type StringSchema } from 'joi';
import { requiredWithout } from './bounded-schema.js';
import { PermanentError } from './errors.js';
import type { ValidationFailure } from './ports/messages.js';

/** The limit of the chat services. */
const MAX_CHAT_LENGTH = 4_096;

/**
 * The address of a recipient, without a name. A text that is too long is rejected for its length alone, because the
 * other rules normalize the text, which takes quadratic time.
 */
export function emailRecipient(): StringSchema {
  return Joi.string()
    .max(MAX_EMAIL_LENGTH)
    .email({ tlds: { allow: false } })
    .pattern(/^\P{C}+$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be an email address' })
    .prefs({ abortEarly: true });
}

/** A phone number with its country code. */
export function phoneNumber(): StringSchema {
  return Joi.string()
    .pattern(/^\+[1-9]\d{6,14}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a phone number in E.164 format, such as +254700000000' });
}

/** The subject: a header of one line. */
export function subjectLine(): StringSchema {
  return Joi.string()
    .max(MESSAGE_LIMITS.subjectLength)
    .pattern(/^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' });
}

export function smsText(): StringSchema {
  return storable(Joi.string().max(MESSAGE_LIMITS.smsLength));
}

export function chatText(): StringSchema {
  return storable(nonBlankText().max(MAX_CHAT_LENGTH));
}

/** The recipient of a chat message, in the form of the provider. */
export function chatRecipient(): StringSchema {
  return storable(Joi.string().trim().max(256));
}

/** Rejects characters that neither the database nor a provider accepts. */
export function storable(text: StringSchema): StringSchema {
  return text
    .pattern(/^[^\0\p{Cs}]*$/u, { name: 'storable' })
    .messages({ 'string.pattern.name': '{{#label}} must not contain U+0000 or unpaired surrogates' });
}

/** A text that is not blank. */
export function nonBlankText(): StringSchema {
  return Joi.string().pattern(/\S/).messages({ 'string.pattern.base': '{{#label}} must not be blank' });
}

/** The sender. Whether the organization may use it is checked elsewhere. */
export function sender(): StringSchema {
  return Joi.string().max(1_000);
}

/**
 * A field that is either written out or created from a template: required without a template, and forbidden with one.
 */
export function unlessTemplate(field: StringSchema): StringSchema {
  return requiredWithout('template', field);
}

/** The name of a stored template. */
export function templateName(): StringSchema {
  return Joi.string().max(200);
}

/** The error that a validation failure becomes in a running job. A retry would fail in the same way. */
export function validationError({ code, details }: ValidationFailure): PermanentError {
  const jobCode: JobErrorCode = code === 'validation_failed' ? 'invalid_payload' : code;
  return new PermanentError(details.map(({ message }) => message).join('; '), { code: jobCode });
}

/** The log line for something that a provider accepted. For the sandbox, it must be clear that nothing was sent. */
export function acceptanceLog(provider: string, what: string, id: string | null): string {
  if (provider === 'sandbox') return `sandbox: ${what} was checked and not sent`;
  return `${provider} accepted ${what}${id === null ? '' : ` as ${id}`}`;
}
