import { LIMIT_KEY_PATTERN, LIMIT_NAME_PATTERN, MAX_EMAIL_LENGTH, TAG_PATTERN } from '@jobline/contracts';
import { outboundUrl } from '@jobline/handlers';
import Joi, {
  type AnySchema,
  type ArraySchema,
  type CustomHelpers,
  type ExtensionBoundSchema,
  type ObjectSchema,
  type Root,
  type StringSchema,
} from 'joi';

/** Fields that more than one endpoint accepts, and the objects that consist of them. */

type Fields = Readonly<Record<string, AnySchema>>;
type ValueOf<S> = S extends AnySchema<infer Value> ? Value : never;
type ValuesOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]> };

/** An id that the service generated. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Text for people: no control characters, and no broken surrogates, which the database would not return unchanged. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;

/** An object with these fields. Its type follows from the types of their schemas. */
export function fieldsOf<R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional?: O,
): ObjectSchema<ValuesOf<R> & Partial<ValuesOf<O>>> {
  const all = Object.entries(required).map(([name, schema]) => [name, schema.required()]);
  return Joi.object({ ...Object.fromEntries(all), ...optional });
}

/** One of these words. */
export function oneOf<T extends string>(words: readonly T[]): StringSchema<T> {
  return Joi.string<T>().valid(...words);
}

/** Text of 1 to 200 characters that the database accepts. */
export function shortText(): StringSchema {
  return Joi.string()
    .pattern(LIMIT_KEY_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must have 1 to 200 characters and no control characters' });
}

/** A name that a person chooses for something: 1 to 200 characters, trimmed. */
export function name(): StringSchema {
  return shortText().trim().prefs({ convert: true });
}

/**
 * An email address, trimmed and in lower case, so that each address has one account. A text that is too long is rejected
 * for its length alone: the rules after that one normalize the text, which takes quadratic time.
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

/** An id that the service generated, converted to lower case as the service writes it. */
export function uuid(): StringSchema {
  return Joi.string()
    .lowercase()
    .pattern(UUID_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must be a UUID' })
    .prefs({ convert: true });
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

// The cast: an extended Joi has the types of Joi.
const joi = Joi.extend({
  type: 'array',
  base: Joi.array(),
  validate(value: unknown[], { schema, error }: CustomHelpers & { schema: ExtensionBoundSchema }) {
    const limit: number = schema.$_getRule('max')?.args?.limit;
    return value.length > limit ? { value, errors: error('array.max', { limit }) } : undefined;
  },
}) as Root;

/**
 * A list of at most `max` items. A longer list is rejected for its length alone: Joi would validate its items first, which
 * takes seconds for a megabyte, and exceeds the call stack if it reports each of them.
 */
export function listOf(max: number, item: AnySchema): ArraySchema {
  return joi.array().items(item).max(max);
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
