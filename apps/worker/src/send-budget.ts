import type { LimitStore } from '@jobline/engine';
import type { TakeSend } from '@jobline/messaging';

/** The maximum delay, so that free budget is noticed within the hour however many jobs wait. */
const LONGEST_WAIT_MS = 3_600_000;
/** A margin so that a returning job finds the budget that it waited for, although clocks differ a little. */
const MARGIN_MS = 50;

/**
 * A token bucket with the budget of one minute, and the time at which the last job that found it empty will return.
 * A job that sends several messages needs only one token, and leaves a debt for the others. Each job returns one interval after the previous one, so at any time no more jobs return than can be sent. Beyond
 * the maximum delay, jobs return spread over its second half. Times are those of Redis. The key expires when the
 * bucket is full again and no job waits.
 */
const SCRIPT = `
local perMs, burst, longest = tonumber(ARGV[1]) / 60000, tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at', 'last')
local tokens, at, last = tonumber(kept[1]) or burst, tonumber(kept[2]) or now, tonumber(kept[3]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * perMs)
local wait = 0
if tokens >= 1 then
  tokens = tokens - tonumber(ARGV[4])
else
  last = math.max(last, now + math.max(0, -tokens) / perMs) + 1 / perMs
  wait = last - now
  if wait > longest then
    last = now + longest
    wait = longest * (0.5 + 0.5 * tonumber(ARGV[3]))
  end
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', string.format('%.3f', now), 'last', string.format('%.3f', last))
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max((burst - tokens) / perMs, last - now)) + 1000)
return tostring(wait)`;

/**
 * Limits how much the jobs of an organization send. All workers count together. While Redis does not answer, few jobs
 * are delivered, and those that run may send. Jobs in an isolated process are not counted, because a worker runs only
 * one of them at a time.
 */
export function createSendBudget(store: LimitStore, perMin: number): TakeSend {
  return async (orgId, kind, count = 1) => {
    const keys = [`${store.prefixOf(`job-${kind}`)}:${orgId}`];
    const args = [perMin, LONGEST_WAIT_MS, Math.random(), count].map(String);
    try {
      const waitMs = Number(await store.eval(SCRIPT, { keys, arguments: args }));
      return waitMs > 0 ? Math.ceil(waitMs) + MARGIN_MS : 0;
    } catch {
      return 0; // The store has reported the error.
    }
  };
}
