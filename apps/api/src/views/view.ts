import Joi, { type ObjectSchema, type Schema, type StringSchema } from 'joi';

/** Schemas of what goes out: the API's documents show them, and every answer that the API's tests get is held against them. */

/** Exactly these fields, all of them there unless `optional` names them. The API's documents know it by its name. */
export function view<T>(
  name: string,
  fields: { readonly [Field in keyof Required<T>]: Schema },
  { optional = [] }: { optional?: readonly (keyof T & string)[] } = {},
): ObjectSchema<T> {
  const required = Object.keys(fields).filter((field) => !optional.some((other) => other === field));
  return Joi.object<T>(fields)
    .fork(required, (field) => field.required())
    .meta({ view: name });
}

/** ISO 8601 in UTC with milliseconds, as Date writes it. */
export function timestamp(): StringSchema {
  return Joi.string()
    .isoDate()
    .pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
}

/** Zero or more. */
export function count(): Joi.NumberSchema {
  return Joi.number().integer().min(0);
}

/** Text that may be empty. */
export function text(): StringSchema {
  return Joi.string().allow('');
}
