import Joi, { type StringSchema } from 'joi';
import { MAX_PASSWORD_BYTES } from '../auth/password.js';
import { parseInstant } from './instant.js';

/** Fields that more than one endpoint takes. */

const MIN_PASSWORD_LENGTH = 8;
const MAX_EMAIL_LENGTH = 254;

/** An id that the service made. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Text for people: without control characters and broken surrogates, which would not come back from the database. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;
const WELL_FORMED = /^\P{Cs}*$/u;

/** A name that somebody gives to something: 1 to 200 characters, trimmed. */
export function name(): StringSchema {
  return Joi.string()
    .trim()
    .pattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u)
    .messages({ 'string.pattern.base': '{{#label}} must have 1 to 200 characters and no control characters' })
    .prefs({ convert: true });
}

/**
 * An address, trimmed and in lower case, so that there is one account for it. A text that is too long is refused for its
 * length alone: the rules behind that normalize the text, which takes quadratic time.
 */
export function email(): StringSchema {
  return Joi.string()
    .trim()
    .lowercase()
    .max(MAX_EMAIL_LENGTH)
    .email({ tlds: { allow: false } })
    .pattern(PRINTABLE)
    .messages({ 'string.pattern.base': '{{#label}} must have no control characters' })
    .prefs({ convert: true, abortEarly: true });
}

/** A password to be set. */
export function newPassword(): StringSchema {
  return Joi.string()
    .min(MIN_PASSWORD_LENGTH)
    .max(MAX_PASSWORD_BYTES, 'utf8')
    .pattern(WELL_FORMED)
    .messages({
      'string.max': `{{#label}} must have at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`,
      'string.pattern.base': '{{#label}} must be well-formed Unicode',
    });
}

/** A password to be compared: whatever it is, it is right or wrong. */
export function givenPassword(): StringSchema {
  return Joi.string();
}

/** An id that the service made, in lower case, as it was given out. */
export function uuid(): StringSchema {
  return Joi.string()
    .lowercase()
    .pattern(UUID_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must be a UUID' })
    .prefs({ convert: true });
}

/** A moment; read into a Date. */
export function instant(): StringSchema {
  return Joi.string()
    .custom((text: string, { message }) => {
      return (
        parseInstant(text) ??
        message({ custom: '{{#label}} must be a date and time with a zone, as 2026-01-31T12:00:00Z' })
      );
    })
    .meta({ jsonSchema: { format: 'date-time' } });
}
