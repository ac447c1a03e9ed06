import { createHmac } from 'node:crypto';
import type { LimitStore } from '@jobline/engine';
import type { Budgets, Gate } from './budgets.js';
import { type Counter, createCounter } from './counter.js';
import { rateLimited } from './rate-limit-state.js';

/** Counts who asks for an account at a gate. */
export interface AccountLimit {
  /** Throws `rate_limited` when it was too often. What comes back is for when it went well: that was no guess. */
  take(account: string, address: string): Promise<() => Promise<void>>;
}

export interface AccountLimitOptions {
  store: LimitStore;
  gate: Gate;
  budgets: Pick<Budgets, 'addressAndAccount' | 'account'>;
  /** Account and address are keys only as hashed under it: neither can be read or guessed from what Redis holds. */
  secret: string;
  countAlone(count: number): number;
}

const KNOWN_FOR_S = 30 * 86_400;

export function createAccountLimit({ store, gate, budgets, secret, countAlone }: AccountLimitOptions): AccountLimit {
  const counterOf = (name: keyof typeof budgets) =>
    createCounter(store, {
      name: `${gate}-${name}`,
      ...budgets[name],
      countAlone: countAlone(budgets[name].count),
    });
  const perBoth = counterOf('addressAndAccount');
  const perAccount = counterOf('account');
  const known = createKnown(store);
  const hash = (...parts: string[]) => createHmac('sha256', secret).update(parts.join('\n')).digest('base64url');

  return {
    async take(account, address) {
      const both = hash(account, address);
      const tally = await perBoth.take(both);
      // Before the account's own budget, so that one address cannot use that up.
      if (tally.isOver) throw rateLimited('Too many tries for this account from your address.', tally);
      // Whoever has signed in from there before is not locked out by what others do elsewhere.
      const taken: [Counter, string][] = [[perBoth, both]];
      if (!(await known.has(both))) {
        const key = hash(account);
        const ofAll = await perAccount.take(key);
        if (ofAll.isOver) throw rateLimited('Too many tries for this account.', ofAll);
        taken.push([perAccount, key]);
      }
      return async () => {
        if (gate !== 'login') return; // elsewhere nothing is proved by going well
        await Promise.all([known.add(both), ...taken.map(([counter, key]) => counter.giveBack(key))]);
      };
    },
  };
}

/** From which addresses accounts have been signed in to. Forgotten while Redis is away, and when it loses its data. */
function createKnown(store: LimitStore) {
  const run = async (script: string, key: string) => {
    try {
      return await store.eval(script, {
        keys: [`${store.prefixOf('known')}:${key}`],
        arguments: [String(KNOWN_FOR_S)],
      });
    } catch {
      return null; // the store tells of it
    }
  };
  return {
    has: async (key: string) => (await run("return redis.call('EXISTS', KEYS[1])", key)) === 1,
    add: (key: string) => run("return redis.call('SET', KEYS[1], 1, 'EX', ARGV[1])", key),
  };
}
