import Joi, { type StringSchema } from 'joi';
import { MAX_PASSWORD_BYTES } from './password.js';

const MIN_PASSWORD_LENGTH = 8;
const WELL_FORMED = /^\P{Cs}*$/u;

/** A password that becomes the password of an account. */
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

/** Accepts any string: the password is only compared with the stored hash. */
export function passwordInput(): StringSchema {
  return Joi.string();
}
