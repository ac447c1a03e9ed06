import Joi from 'joi';

/** A key, token or password that goes into a header: what a file's last line break adds to it is taken off. */
export const secretSetting = Joi.string()
  .trim()
  .pattern(/^[\x21-\x7e]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must be of visible ASCII characters' });

/** Where a provider's API is. It may be below a path, and private. */
export const baseUrlSetting = Joi.string().uri({ scheme: ['http', 'https'] });

/** How long a provider's answer is waited for. */
export const timeoutSetting = Joi.number().integer().min(1).max(600_000).default(20_000);
