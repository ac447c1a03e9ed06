import { MAX_EMAIL_LENGTH } from '@jobline/contracts';
import { shortText } from '@jobline/engine';
import Joi, { type AnySchema, type ObjectSchema, type StringSchema } from 'joi';

/** Fields that more than one endpoint accepts, and the objects that consist of them. */

type Fields = Readonly<Record<string, AnySchema>>;
type ValueOf<S> = S extends AnySchema<infer Value> ? Value : never;
type ValuesOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]> };

/** An id that the service generated. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** No control characters. */
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
