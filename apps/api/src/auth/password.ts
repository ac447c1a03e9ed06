import { PASSWORD_LIMITS } from '@jobline/contracts';
import { createFairLimiter, inProduction } from '@jobline/runtime';
import bcrypt from 'bcrypt';
import Joi, { type StringSchema } from 'joi';
import { tooBusy } from '../rate-limits/rate-limit-state.js';

const { minLength, maxBytes } = PASSWORD_LIMITS;

/** A hash takes a quarter of a second of one of Node's four threads. One thread remains for DNS lookups and files. */
const MAX_CONCURRENT = 3;
const MAX_WAITING = 100;
const RETRY_AFTER_S = 5;

/** Hashes and verifies passwords. Both throw `rate_limited` when too many calls are waiting. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time with and without a hash to compare with. */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether the hash has another cost than new ones, and so another verification time. */
  isOutdated(hash: string): boolean;
}

export function createPasswords(options: { cost: number }): Passwords {
  // Well formed, so that a comparison takes the full time. No password matches it.
  const unmatched = `$2b$${String(options.cost).padStart(2, '0')}$${'.'.repeat(53)}`;
  const limiter = createFairLimiter({ capacity: MAX_CONCURRENT, maxQueued: MAX_WAITING, tooMany });
  return {
    hash: (password) => limiter.run(() => bcrypt.hash(password, options.cost)),

    async verify(password, hash) {
      const readable = hash !== null && Buffer.byteLength(password) <= maxBytes;
      const matches = await limiter.run(() => bcrypt.compare(password, readable ? hash : unmatched));
      return matches && readable;
    },

    isOutdated: (hash) => bcrypt.getRounds(hash) !== options.cost,
  };
}

function tooMany(): Error {
  return tooBusy('Too many login attempts are in progress.', RETRY_AFTER_S);
}

const WELL_FORMED = /^\P{Cs}*$/u;

/** A password that becomes the password of an account. */
export function newPassword(): StringSchema {
  return Joi.string()
    .min(minLength)
    .max(maxBytes, 'utf8')
    .pattern(WELL_FORMED)
    .messages({
      'string.max': `{{#label}} must have at most ${maxBytes} bytes in UTF-8`,
      'string.pattern.base': '{{#label}} must be well-formed Unicode',
    });
}

/** Accepts any string: the password is only compared with the stored hash. */
export function passwordInput(): StringSchema {
  return Joi.string();
}

/** The lowest cost factor of bcrypt in production, and the default. */
export const PRODUCTION_COST = 12;

/** The setting `BCRYPT_COST`. Its schema must also have `NODE_ENV`. */
export const passwordCostSetting = inProduction(Joi.number().integer().max(15).default(PRODUCTION_COST), {
  production: (cost) => cost.min(PRODUCTION_COST),
  otherwise: (cost) => cost.min(4),
});
