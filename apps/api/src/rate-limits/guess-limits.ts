import { createHmac } from 'node:crypto';
import type { LimitStore } from '@jobline/engine';
import { addressKey, networkKey } from './client-address.js';
import { type Counter, createCounter } from './fixed-windows.js';
import { rateLimited } from './rate-limit-state.js';
import type { AuthRateLimit, Budgets } from './rate-limits.js';
import type { TokenBuckets } from './token-buckets.js';

/**
 * Limits the tries for an account at an authentication endpoint: throws `rate_limited` after too many. The caller must call
 * the returned function when the request succeeded: that try was not a guess.
 */
type TakeTry = (account: string, address: string) => Promise<() => Promise<void>>;

interface AccountLimitOptions {
  store: LimitStore;
  auth: AuthRateLimit;
  budgets: Pick<Budgets, 'addressAndAccount' | 'account'>;
  /** Accounts and addresses are hashed with this secret, so that they cannot be read or guessed from the data in Redis. */
  secret: string;
}

const KNOWN_FOR_S = 30 * 86_400;

export function createAccountLimit({ store, auth, budgets, secret }: AccountLimitOptions): TakeTry {
  const perBoth = createCounter(store, `${auth}-addressAndAccount`, budgets.addressAndAccount);
  const perAccount = createCounter(store, `${auth}-account`, budgets.account);
  const known = createKnownAddresses(store);
  const hash = (...parts: string[]) => createHmac('sha256', secret).update(parts.join('\n')).digest('base64url');

  return async (account, address) => {
    const both = hash(account, address);
    const state = await perBoth.take(both);
    // Before the account's own budget, so that one address cannot use up that budget.
    if (state.isOver) throw rateLimited('Too many tries for this account from your address.', state);
    const taken: [Counter, string][] = [[perBoth, both]];
    // A user who has signed in from this address before is not locked out by the tries of others elsewhere.
    if (!(await known.has(both))) {
      const key = hash(account);
      const ofAll = await perAccount.take(key);
      if (ofAll.isOver) throw rateLimited('Too many tries for this account.', ofAll);
      taken.push([perAccount, key]);
    }
    return async () => {
      if (auth !== 'login') return; // success elsewhere proves nothing
      await Promise.all([known.add(both), ...taken.map(([counter, key]) => counter.refund(key))]);
    };
  };
}

/** The addresses from which users have signed in to each account. Forgotten while Redis is away or has lost its data. */
function createKnownAddresses(store: LimitStore) {
  const run = async (script: string, key: string) => {
    try {
      return await store.eval(script, {
        keys: [`${store.prefixOf('known')}:${key}`],
        arguments: [String(KNOWN_FOR_S)],
      });
    } catch {
      return null; // the store has logged the error
    }
  };
  return {
    has: async (key: string) => (await run("return redis.call('EXISTS', KEYS[1])", key)) === 1,
    add: (key: string) => run("return redis.call('SET', KEYS[1], 1, 'EX', ARGV[1])", key),
  };
}

/** Limits how often an IP address may send a wrong credential. Correct credentials are not counted. */
export interface CredentialLimits {
  /** Throws `rate_limited` when the address, or its network, has sent too many. Call it before a credential is looked up. */
  check(ip: string | undefined): void;
  /** Counts a wrong credential. */
  count(ip: string | undefined): void;
}

export function createCredentialLimits(buckets: {
  addresses: Pick<TokenBuckets, 'look' | 'take'>;
  networks: Pick<TokenBuckets, 'look' | 'take'>;
}): CredentialLimits {
  const { addresses, networks } = buckets;
  return {
    check(ip) {
      const address = addressKey(ip);
      const state = addresses.look(address);
      if (state.isOver) throw rateLimited('Too many wrong credentials from your address.', state);
      const network = networkKey(address);
      const ofAll = network === null ? null : networks.look(network);
      if (ofAll?.isOver) throw rateLimited('Too many wrong credentials from your network.', ofAll);
    },
    count(ip) {
      const address = addressKey(ip);
      addresses.take(address);
      const network = networkKey(address);
      if (network !== null) networks.take(network);
    },
  };
}
