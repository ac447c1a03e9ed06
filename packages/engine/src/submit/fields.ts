import { ABOUT_LENGTH, LIMIT_KEY_PATTERN, LIMIT_NAME_PATTERN, NAME_PATTERN, TAG_PATTERN } from '@jobline/contracts';
import { outboundUrl } from '@jobline/handlers';
import Joi, { type StringSchema } from 'joi';

/** Fields of submissions, some of which other requests have too. */

/** Text for people: no control characters, and no broken surrogates, which the database would not return unchanged. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;

/** Text of 1 to 200 characters that the database accepts. */
export function shortText(): StringSchema {
  return Joi.string()
    .pattern(LIMIT_KEY_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must have 1 to 200 characters and no control characters' });
}

/** What a job is about, or the recipient of a message, in lower case. */
export function aboutText(): StringSchema {
  return Joi.string()
    .max(ABOUT_LENGTH)
    .pattern(PRINTABLE)
    .messages({ 'string.pattern.base': '{{#label}} must have no control characters' })
    .custom((text: string) => text.trim().toLowerCase());
}

/** A tag of a job. */
export function tag(): StringSchema {
  return Joi.string()
    .pattern(TAG_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 64 characters of A-Z a-z 0-9 . _ : @ / + = -' });
}

/** The name of a limit. */
export function limitName(): StringSchema {
  return Joi.string()
    .pattern(LIMIT_NAME_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 64 characters of A-Z a-z 0-9 . _ : -' });
}

/** The `callback_url` of a job. */
export function callbackUrl(): StringSchema {
  return receiverUrl().description(
    'For reports of the end of the job: http or https, with the rules of the type `webhook`.',
  );
}

/** An address to which events are sent. */
export function receiverUrl(): StringSchema {
  return outboundUrl
    .pattern(PRINTABLE)
    .messages({ 'string.pattern.base': '{{#label}} must have no control characters' })
    .description('http or https, with the rules of the job type `webhook`.');
}

/** The value of ALLOWED_TYPES. */
export function allowedTypesSetting(): StringSchema<ReadonlySet<string>> {
  return Joi.string<ReadonlySet<string>>().custom((text: string, { message }) => {
    const types = text.split(',').map((type) => type.trim());
    if (types.every((type) => NAME_PATTERN.test(type))) return new Set(types);
    return message({ custom: '{{#label}} must be comma-separated job types, such as webhook,send_email' });
  });
}

/** A point in time, converted to a Date. */
export function instant(): StringSchema {
  return Joi.string()
    .custom((text: string, { message }) => {
      return (
        parseInstant(text) ??
        message({ custom: '{{#label}} must be a date and time with a time zone, such as 2026-01-31T12:00:00Z' })
      );
    })
    .meta({ jsonSchema: { format: 'date-time' } });
}

const SHAPE = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))$/;
/** The last moment of the year 9999. From the Unix epoch to it, Date, Postgres and ISO 8601 use the same notation. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MINUTE_MS = 60_000;

/**
 * Parses a point in time in ISO 8601; null if the text is invalid. Stricter than Date.parse: date, time and time zone are
 * required, and days and hours must exist. Digits after the millisecond are ignored.
 */
function parseInstant(text: string): Date | null {
  const [, date, time, seconds = '00', fraction = '', sign, zoneHours = '00', zoneMinutes = '00'] =
    SHAPE.exec(text) ?? [];
  if (date === undefined || time === undefined) return null;
  const utc = `${date}T${time}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const local = new Date(utc);
  // Date reads February 30 as March 2, so the text differs from the parsed date.
  if (Number.isNaN(local.getTime()) || local.toISOString() !== utc) return null;
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return null;
  const offsetMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * MINUTE_MS;
  const ms = local.getTime() - (sign === '-' ? -offsetMs : offsetMs);
  return ms >= 0 && ms <= LAST_MS ? new Date(ms) : null;
}
