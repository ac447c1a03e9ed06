import Joi, { type ObjectSchema, type Schema } from 'joi';

/** The schema of a result: an object with exactly these fields. */
export function resultFields(fields: Readonly<Record<string, Schema>>): ObjectSchema {
  return Joi.object(fields).fork(Object.keys(fields), (field) => field.required());
}

/** What a provider returns for a message that it has accepted. */
export const acceptance = {
  provider: Joi.string(),
  message_id: Joi.string(),
  provider_message_id: Joi.string().allow(null),
};
