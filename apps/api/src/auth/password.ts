import bcrypt from 'bcrypt';
import { createAtMost } from '../limits/limit-concurrency.js';
import { tooBusy } from '../limits/rate-limit-state.js';

/** bcrypt reads no further. A longer password must be refused, or any other with the same beginning would open it. */
export const MAX_PASSWORD_BYTES = 72;

/** Each takes a quarter of a second of one of Node's four threads: looking up names and reading files keep one. */
const AT_ONCE = 3;
const MAX_WAITING = 100;
const RETRY_AFTER_S = 5;

/** Both throw `rate_limited` when too many wait already. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time whether there is a hash to compare with or not. */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether it was made at another cost, and so takes another time than everybody else's. */
  isOutdated(hash: string): boolean;
}

export function createPasswords(options: { cost: number }): Passwords {
  // Well formed, so that comparing with it costs a whole hash; nobody knows a password for it.
  const nobody = `$2b$${String(options.cost).padStart(2, '0')}$${'.'.repeat(53)}`;
  const turn = createAtMost(AT_ONCE, { length: MAX_WAITING, refusal: tooManyWait });
  return {
    hash: (password) => turn(() => bcrypt.hash(password, options.cost)),

    async verify(password, hash) {
      const readable = hash !== null && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
      const matches = await turn(() => bcrypt.compare(password, readable ? hash : nobody));
      return matches && readable;
    },

    isOutdated: (hash) => bcrypt.getRounds(hash) !== options.cost,
  };
}

function tooManyWait(): Error {
  return tooBusy('Too many passwords wait to be looked at.', RETRY_AFTER_S);
}
