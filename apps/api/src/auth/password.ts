import { availableParallelism } from 'node:os';
import { PASSWORD_LIMITS } from '@jobline/contracts';
import { createFairLimiter, inProduction } from '@jobline/runtime';
import bcrypt from 'bcrypt';
import Joi, { type StringSchema } from 'joi';
import { addressKey } from '../rate-limits/client-address.js';
import { tooBusy } from '../rate-limits/rate-limit-state.js';

const { minLength, maxBytes } = PASSWORD_LIMITS;

/**
 * How many hashes run at the same time on a computer with these processors. Each takes a quarter of a second of a processor and of one of
 * Node's four threads, so one processor remains for everything else, and half of the threads for DNS lookups, files and compression.
 */
export function concurrentHashes(processors: number): number {
  return Math.min(2, Math.max(1, processors - 1));
}

const MAX_WAITING_PER_ADDRESS = 100;
const WAIT_MS = 10_000;
const RETRY_AFTER_S = 5;

/**
 * Hashes and verifies passwords, in turns of the addresses that sent them. Both throw `rate_limited` when too many calls of the address
 * are waiting, or when one has waited too long.
 */
export interface Passwords {
  hash(password: string, ip: string | null): Promise<string>;
  /** Takes the same time with and without a hash to compare with. */
  verify(password: string, hash: string | null, ip: string | null): Promise<boolean>;
  /** Whether the hash has another cost than new ones, and so another verification time. */
  isOutdated(hash: string): boolean;
}

export function createPasswords(options: { cost: number }): Passwords {
  // Well formed, so that a comparison takes the full time. No password matches it.
  const unmatched = `$2b$${String(options.cost).padStart(2, '0')}$${'.'.repeat(53)}`;
  const limiter = createFairLimiter({
    capacity: concurrentHashes(availableParallelism()),
    maxQueued: MAX_WAITING_PER_ADDRESS,
    waitMs: WAIT_MS,
    tooMany,
  });
  const inTurn = <T>(ip: string | null, task: () => Promise<T>) =>
    limiter.run(task, { owner: addressKey(ip ?? undefined) });
  return {
    hash: (password, ip) => inTurn(ip, () => bcrypt.hash(password, options.cost)),

    async verify(password, hash, ip) {
      const readable = hash !== null && Buffer.byteLength(password) <= maxBytes;
      const matches = await inTurn(ip, () => bcrypt.compare(password, readable ? hash : unmatched));
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
