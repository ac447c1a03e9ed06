import { hash } from 'node:crypto';
import type { LimitStore } from '@jobline/engine';
import type { RateLimitState } from './rate-limit-state.js';
import type { Budget } from './rate-limits.js';

/**
 * Counts requests by key, exactly and together with the other processes, in windows that begin with their first request. Each
 * count costs one round trip to Redis.
 */
export interface Counter {
  take(key: string, count?: number): Promise<RateLimitState>;
  /** Undoes one `take` of one. */
  refund(key: string): Promise<void>;
}

interface Window {
  used: number;
  leftMs: number;
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
  const lengthMs = 1_000 * seconds;
  const prefix = store.prefixOf(name);
  const addAlone = countAlone(lengthMs);

  async function add(key: string, taken: number): Promise<Window & { allowed: number }> {
    try {
      const args = [taken, lengthMs].map(String);
      const answer = await store.eval(SCRIPT, { keys: [`${prefix}:${key}`], arguments: args });
      // The cast: this is what the script returns.
      const [used, leftMs] = answer as [number, number];
      return { used, leftMs, allowed: count };
    } catch {
      // The store has logged the error.
      return { ...addAlone(key, taken), allowed: Math.ceil(shareAlone * count) };
    }
  }

  return {
    async take(key, taken = 1) {
      const { used, leftMs, allowed } = await add(key, taken);
      const isOver = used > allowed;
      const resetS = Math.max(1, Math.ceil(leftMs / 1_000));
      return { isOver, limit: count, remaining: isOver ? 0 : allowed - used, resetS, retryAfterS: isOver ? resetS : 0 };
    },
    async refund(key) {
      await add(key, -1);
    },
  };
}

const SCRIPT = `
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {used, left}`;

/**
 * Counts in this process. Callers share 65,536 windows, chosen by two bytes of a hash, so that requests from many addresses
 * cannot fill the memory while Redis is away.
 */
function countAlone(lengthMs: number): (key: string, taken: number) => Window {
  /** In the order of their ends, because all are equally long. */
  const windows = new Map<number, { used: number; endsAtMs: number }>();
  return (key, taken) => {
    const now = performance.now();
    for (const [ended, { endsAtMs }] of windows) {
      if (endsAtMs > now) break;
      windows.delete(ended);
    }
    const slot = hash('sha256', key, 'buffer').readUInt16BE();
    const window = windows.get(slot) ?? { used: 0, endsAtMs: now + lengthMs };
    windows.set(slot, window);
    window.used += taken;
    return { used: window.used, leftMs: Math.round(window.endsAtMs - now) };
  };
}
