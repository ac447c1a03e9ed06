import { addressKey, networkKey } from './client-address.js';
import type { SharedBuckets } from './token-buckets.js';
import { rateLimited } from './rate-limit-state.js';

/** How often an address may send a credential that is wrong. What is right counts for nothing. */
export interface CredentialLimits {
  /** Throws `rate_limited` when the address, or its network, has sent too many: before another one is looked up. */
  check(ip: string | undefined): void;
  /** Counts one that was wrong. */
  count(ip: string | undefined): void;
}

export function createCredentialLimits(buckets: {
  addresses: Pick<SharedBuckets, 'look' | 'take'>;
  networks: Pick<SharedBuckets, 'look' | 'take'>;
}): CredentialLimits {
  const { addresses, networks } = buckets;
  return {
    check(ip) {
      const address = addressKey(ip);
      const tally = addresses.look(address);
      if (tally.isOver) throw rateLimited('Too many wrong credentials from your address.', tally);
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
