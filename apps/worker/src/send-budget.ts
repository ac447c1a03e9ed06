import type { LimitStore } from '@jobline/engine';
import type { TakeSend } from '@jobline/messaging';

/** However many wait: so that a budget that is free again is noticed within the hour. */
const LONGEST_WAIT_MS = 3_600_000;
/** A job that comes back finds what it waited for, although clocks differ a little. */
const MARGIN_MS = 50;

/**
 * A bucket that holds a minute's worth, and the time at which the last job that found it empty is to come back. Each
 * comes back one interval after the one before, so however many jobs wait, no more come back than can be sent. Beyond the
 * longest wait they come back spread over its second half. Times are those of Redis; the key expires when the bucket is
 * full again and no job waits.
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
  tokens = tokens - 1
else
  last = math.max(last, now) + 1 / perMs
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
 * Counted by all workers together. While Redis does not answer, hardly any job is delivered, and those that run may send.
 * Jobs that run in an isolated process are not counted: a worker runs one of them at a time.
 */
export function createSendBudget(store: LimitStore, perMin: number): TakeSend {
  return async (orgId, kind) => {
    const keys = [`${store.prefixOf(`job-${kind}`)}:${orgId}`];
    const args = [perMin, LONGEST_WAIT_MS, Math.random()].map(String);
    try {
      const waitMs = Number(await store.eval(SCRIPT, { keys, arguments: args }));
      return waitMs > 0 ? Math.ceil(waitMs) + MARGIN_MS : 0;
    } catch {
      return 0; // the store has told of it
    }
  };
}
