import { addressKey, networkKey } from './client-address.js';
import { rateLimited } from './rate-limit-state.js';
import type { TokenBuckets } from './token-buckets.js';

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
