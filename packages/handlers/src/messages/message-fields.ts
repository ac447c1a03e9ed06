import Joi, { type StringSchema } from 'joi';

/** Fields of messages, as payloads and direct sends have them. */

const MAX_ADDRESS_LENGTH = 254;
/** As RFC 5322 bounds a header's line. */
const MAX_SUBJECT_LENGTH = 998;
/** A hundred segments: no network takes more. */
const MAX_SMS_LENGTH = 16_000;

/**
 * A recipient's address, without a name. A text that is too long is refused for its length alone: the rules behind that
 * normalize the text, which takes quadratic time.
 */
export function emailRecipient(): StringSchema {
  return Joi.string()
    .max(MAX_ADDRESS_LENGTH)
    .email({ tlds: { allow: false } })
    .pattern(/^\P{C}+$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be an email address' })
    .prefs({ abortEarly: true });
}

/** A phone number with its country code. */
export function phoneNumber(): StringSchema {
  return Joi.string()
    .pattern(/^\+[1-9]\d{6,14}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a phone number in E.164, as +254700000000' });
}

/** A header of one line. */
export function subjectLine(): StringSchema {
  return Joi.string()
    .max(MAX_SUBJECT_LENGTH)
    .pattern(/^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' });
}

/** Plain text or HTML. */
export function emailBody(): StringSchema {
  return storable(Joi.string());
}

export function smsText(): StringSchema {
  return storable(Joi.string().max(MAX_SMS_LENGTH));
}

/** What neither the database nor a provider takes. */
function storable(text: StringSchema): StringSchema {
  return text
    .pattern(/^[^\0\p{Cs}]*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must have neither U+0000 nor broken surrogates' });
}

/** Who sends; the rules of the organization's own senders are looked at elsewhere. */
export function sender(): StringSchema {
  return Joi.string().max(1_000);
}

/** A field that is written out, or made of the template: one of the two. */
export function unlessTemplate(field: StringSchema): StringSchema {
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  return field.when('template', { is: Joi.exist(), then: Joi.forbidden(), otherwise: Joi.required() });
}

/** The name of a stored template. */
export function templateName(): StringSchema {
  return Joi.string().max(200);
}
