import type { LimitStore } from '@jobline/engine';
import type { BucketSize } from './bucket.js';
import type { SharedBucketsOptions } from './token-buckets.js';

/**
 * By the clock of Redis. A full bucket is the same as none: it is forgotten when it is full again. What flowed in while
 * it was taken from could be taken, too: only what is left is at most a bucketful.
 */
const SCRIPT = `
local perMs, burst, taken, inMs = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(kept[1]) or burst, tonumber(kept[2]) or now - inMs
tokens = math.min(burst + inMs * perMs, tokens + math.max(0, now - at) * perMs) - taken
tokens = math.min(burst, tokens)
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / perMs) + 1000)
return tostring(tokens)`;

/** The bucket that all processes share, in Redis: takes so much, whatever is there, and tells what is left. */
export function createTell(
  store: LimitStore,
  { name, perS, burst }: BucketSize & { name: string },
): SharedBucketsOptions['tell'] {
  const prefix = store.prefixOf(name);
  return async (who, taken, inMs) => {
    try {
      const args = [perS, burst, taken, inMs].map(String);
      return Number(await store.eval(SCRIPT, { keys: [`${prefix}:${who}`], arguments: args }));
    } catch {
      return null; // the store has told of it; so do those who ask it
    }
  };
}
