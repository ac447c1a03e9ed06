import { createHash } from 'node:crypto';
import type { LimitStore } from '@jobline/engine';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Budget } from './budgets.js';
import type { Tally } from './rate-limit-state.js';

/** Counts who asks how often, together with the other processes. Costs one round trip to Redis. */
export interface Counter {
  take(key: string, count?: number): Promise<Tally>;
  /** As if they had not asked. */
  giveBack(key: string): Promise<void>;
}

export interface CounterOptions extends Budget {
  /** What its keys are named after. */
  name: string;
  /** How many while Redis is away, when every process counts by itself. */
  countAlone: number;
}

export function createCounter(store: LimitStore, { name, count, seconds, countAlone }: CounterOptions): Counter {
  const limiter = new RateLimiterRedis({
    storeClient: store,
    useRedisPackage: true, // the store speaks as node-redis does
    keyPrefix: store.prefixOf(name),
    points: count,
    duration: seconds,
    insuranceLimiter: new SmallMemory({ points: countAlone, duration: seconds }),
  });

  function tallyOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Tally {
    const resetS = Math.max(1, Math.ceil(msBeforeNext / 1_000));
    return { isOver, limit: count, remaining: isOver ? 0 : remainingPoints, resetS, retryAfterS: isOver ? resetS : 0 };
  }

  return {
    async take(key, taken = 1) {
      try {
        return tallyOf(await limiter.consume(key, taken), false);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return tallyOf(refusal, true);
        throw refusal;
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}

const SLOTS = 1 << 16;

/** Callers share so many slots, so that a flood from everywhere cannot fill the memory while Redis is away. */
class SmallMemory extends RateLimiterMemory {
  override getKey(key: string | number): string {
    return super.getKey(createHash('sha256').update(String(key)).digest().readUInt16BE() % SLOTS);
  }
}
