import { createHash } from 'node:crypto';
import type { LimitStore } from '@jobline/engine';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitState } from './rate-limit-state.js';
import type { Budget } from './rate-limits.js';

/** Counts requests by key, together with the other processes. Costs one round trip to Redis. */
export interface Counter {
  take(key: string, count?: number): Promise<RateLimitState>;
  /** Undoes one `take` of one. */
  refund(key: string): Promise<void>;
}

/** The part of a budget that each process allows while Redis is away: a few processes then keep within the budget. */
const SHARE_ALONE = 1 / 4;

/** `name` is the prefix of its keys. `shareAlone`: the part of the budget that each process allows while Redis is away. */
export function createCounter(
  store: LimitStore,
  name: string,
  { count, seconds }: Budget,
  shareAlone = SHARE_ALONE,
): Counter {
  const limiter = new RateLimiterRedis({
    storeClient: store,
    useRedisPackage: true, // the store has the interface of node-redis
    keyPrefix: store.prefixOf(name),
    points: count,
    duration: seconds,
    insuranceLimiter: new BoundedMemory({ points: Math.ceil(shareAlone * count), duration: seconds }),
  });

  function stateOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): RateLimitState {
    const resetS = Math.max(1, Math.ceil(msBeforeNext / 1_000));
    return { isOver, limit: count, remaining: isOver ? 0 : remainingPoints, resetS, retryAfterS: isOver ? resetS : 0 };
  }

  return {
    async take(key, taken = 1) {
      try {
        return stateOf(await limiter.consume(key, taken), false);
      } catch (rejection) {
        if (rejection instanceof RateLimiterRes) return stateOf(rejection, true);
        throw rejection;
      }
    },
    async refund(key) {
      await limiter.reward(key);
    },
  };
}

const SLOTS = 1 << 16;

/** Callers share a fixed number of slots, so that requests from many addresses cannot fill the memory while Redis is away. */
class BoundedMemory extends RateLimiterMemory {
  override getKey(key: string | number): string {
    return super.getKey(createHash('sha256').update(String(key)).digest().readUInt16BE() % SLOTS);
  }
}
