import Joi from 'joi';

/**
 * A key, token or password that goes into a header. White space around it, such as the line break at the end of a file,
 * is removed.
 */
export const secretSetting = Joi.string()
  .trim()
  .pattern(/^[\x21-\x7e]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must contain only visible ASCII characters' });

/** The address of a provider's API. It may have a path, and it may be private. */
export const baseUrlSetting = Joi.string().uri({ scheme: ['http', 'https'] });

/** The limit of one call to a provider, in milliseconds. */
export const timeoutSetting = Joi.number().integer().min(1).max(600_000).default(20_000);
