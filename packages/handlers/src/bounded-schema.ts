import Joi, { type AnySchema, type ArraySchema, type CustomHelpers, type ExtensionBoundSchema, type Root } from 'joi';

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

/** A field that is required without another one, and forbidden with it. */
export function requiredWithout<S extends AnySchema>(other: string, field: S): S {
  // biome-ignore lint/suspicious/noThenProperty: required by Joi's API
  const rule = { is: Joi.exist(), then: Joi.forbidden(), otherwise: Joi.required() };
  // The cast: the rule does not change the kind of the schema.
  return field.when(other, rule) as S;
}
