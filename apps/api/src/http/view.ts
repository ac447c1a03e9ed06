import Joi, { type ObjectSchema, type Schema, type StringSchema } from 'joi';

/** Schemas of response bodies. The API document contains them, and the tests validate every response with them. */

/** Exactly these fields. All are required unless `optional` names them. `name` is its name in the API document. */
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

/** ISO 8601 in UTC with milliseconds, the format of Date.toISOString. */
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
