import type { LimitStore } from '@jobline/engine';
import type { RateLimitState } from './rate-limit-state.js';

/** How fast a bucket fills, and how many tokens it holds. */
interface BucketSize {
  perS: number;
  burst: number;
}

/**
 * A token bucket for each key, in memory, so that taking tokens needs no wait. While a bucket is in use, the tokens that
 * were taken are reported to the bucket in Redis that all processes share, and the local bucket never holds more than
 * the shared one. Between two reports each process may take tokens that another process has taken as well. The shared
 * bucket then goes below zero, and all processes wait until it has refilled, so over time they take no more than the
 * rate together. While the shared bucket cannot be reached, each process uses its local bucket alone.
 */
export interface TokenBuckets {
  /** Takes one token. */
  take(key: string): RateLimitState;
  /** Takes more tokens for the same request: all of them, unless the bucket is below zero already. */
  takeMore(key: string, count: number): RateLimitState;
  /** The current state, without taking a token. */
  look(key: string): RateLimitState;
  /** Number of buckets in memory: those in use, and those that are not full yet. */
  size(): number;
  close(): void;
}

interface TokenBucketsOptions extends BucketSize {
  /**
   * Takes from the shared bucket what was taken locally within `inMs`. Resolves to the tokens that are left in it, or to
   * null when it cannot be reached.
   */
  report(key: string, taken: number, inMs: number): Promise<number | null>;
  reportEveryMs: number;
  /** Smallest number of taken tokens that is reported: rare requests then cost no report. Default: 1. */
  reportFrom?: number;
  nowMs?: () => number;
}

/** The tokens that can be taken. Below zero: tokens that must flow in before another one can be taken. */
export interface Bucket {
  tokens: number;
  /** When the bucket had this number of tokens, in ms of a monotonic clock. */
  atMs: number;
}

interface LocalBucket extends Bucket {
  /** Tokens taken since the last report. */
  unreported: number;
  isUsed: boolean;
  reportedAtMs: number;
}

/** With more buckets the oldest is dropped, so that an unlimited number of callers cannot fill the memory. */
const MAX_BUCKETS = 100_000;

export function createTokenBuckets(options: TokenBucketsOptions): TokenBuckets {
  const { report, reportEveryMs, reportFrom = 1, nowMs = () => performance.now() } = options;
  const buckets = new Map<string, LocalBucket>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /**
   * Takes `count` tokens if the bucket has at least `minTokens`, else none. The bucket may go below zero: so a batch
   * larger than the bucket is possible, and over time no caller gets more than the rate.
   */
  function takeFrom(key: string, count: number, minTokens: number): RateLimitState {
    let bucket = buckets.get(key);
    if (bucket) refill(bucket, options, nowMs());
    else {
      dropOldest();
      bucket = { ...fullBucket(options, nowMs()), unreported: 0, isUsed: false, reportedAtMs: nowMs() };
      buckets.set(key, bucket);
      scheduleReport();
    }
    bucket.isUsed = true;
    const isTaken = bucket.tokens >= minTokens;
    if (isTaken) {
      bucket.tokens -= count;
      bucket.unreported += count;
    }
    return stateOf(bucket, options, !isTaken);
  }

  function dropOldest(): void {
    if (buckets.size < MAX_BUCKETS) return;
    const oldest = buckets.keys().next();
    if (!oldest.done) buckets.delete(oldest.value);
  }

  /** The timer is unreferenced, so that it does not keep the process running. */
  function scheduleReport(): void {
    if (isClosed) return;
    timer ??= setTimeout(reportAll, reportEveryMs).unref();
  }

  async function reportAll(): Promise<void> {
    const due = [...buckets].filter(
      ([, { isUsed, unreported, tokens }]) => isUsed && (unreported >= reportFrom || tokens < reportFrom),
    );
    await Promise.all(due.map(([key, bucket]) => reportOne(key, bucket)));
    for (const [key, bucket] of buckets) {
      refill(bucket, options, nowMs());
      // The tokens have flowed in again, so they need no report.
      if (bucket.unreported < reportFrom && bucket.tokens >= options.burst) buckets.delete(key);
    }
    timer = undefined;
    if (buckets.size > 0) scheduleReport();
  }

  async function reportOne(key: string, bucket: LocalBucket): Promise<void> {
    const { unreported, reportedAtMs } = bucket;
    bucket.unreported = 0;
    bucket.isUsed = false;
    bucket.reportedAtMs = nowMs();
    // A failed report is not repeated: callers must not wait later for what they were allowed during an outage.
    const left = await report(key, unreported, bucket.reportedAtMs - reportedAtMs);
    refill(bucket, options, nowMs());
    if (left !== null) bucket.tokens = Math.min(bucket.tokens, left - bucket.unreported);
  }

  return {
    take: (key) => takeFrom(key, 1, 1),
    takeMore: (key, count) => takeFrom(key, count, 0),
    look(key) {
      const bucket = buckets.get(key);
      if (bucket) refill(bucket, options, nowMs());
      const now = bucket ?? fullBucket(options, nowMs());
      return stateOf(now, options, now.tokens < 1);
    },
    size: () => buckets.size,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

export function fullBucket({ burst }: BucketSize, nowMs: number): Bucket {
  return { tokens: burst, atMs: nowMs };
}

export function refill(bucket: Bucket, { perS, burst }: BucketSize, nowMs: number): void {
  bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) * perS) / 1_000);
  bucket.atMs = nowMs;
}

function stateOf({ tokens }: Bucket, { perS, burst }: BucketSize, isOver: boolean): RateLimitState {
  return {
    isOver,
    limit: burst,
    remaining: isOver ? 0 : Math.max(0, Math.floor(tokens)),
    resetS: Math.ceil((burst - tokens) / perS),
    retryAfterS: isOver ? Math.max(1, Math.ceil((1 - tokens) / perS)) : 0,
  };
}

/**
 * Uses the clock of Redis. The key of a full bucket expires, because a full bucket equals an absent one. Tokens that
 * flowed in while the reported ones were taken count as well; only what is left is limited to one full bucket.
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

/** Returns the `report` function for the buckets in Redis, which all processes share. */
export function createReport(
  store: LimitStore,
  { name, perS, burst }: BucketSize & { name: string },
): TokenBucketsOptions['report'] {
  const prefix = store.prefixOf(name);
  return async (key, taken, inMs) => {
    try {
      const args = [perS, burst, taken, inMs].map(String);
      return Number(await store.eval(SCRIPT, { keys: [`${prefix}:${key}`], arguments: args }));
    } catch {
      return null; // the store has logged the error
    }
  };
}
