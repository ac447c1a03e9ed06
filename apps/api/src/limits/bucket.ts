import type { Tally } from './rate-limit-state.js';

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  perS: number;
  burst: number;
}

/** Holds what may be taken; less than nothing: what is owed. */
export interface Bucket {
  tokens: number;
  /** When it held so much, in ms of a monotonic clock. */
  atMs: number;
}

export function fullBucket({ burst }: BucketSize, nowMs: number): Bucket {
  return { tokens: burst, atMs: nowMs };
}

export function refill(bucket: Bucket, { perS, burst }: BucketSize, nowMs: number): void {
  bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) * perS) / 1_000);
  bucket.atMs = nowMs;
}

/**
 * Takes `count` if there is `least`, else nothing. What there is not is owed, and has to flow in before anything can be
 * taken again: so a batch of more than the bucket can hold is possible, and over time nobody gets more than the rate.
 */
export function take(bucket: Bucket, count: number, least: number): boolean {
  if (bucket.tokens < least) return false;
  bucket.tokens -= count;
  return true;
}

export function tallyOf({ tokens }: Bucket, { perS, burst }: BucketSize, isOver: boolean): Tally {
  return {
    isOver,
    limit: burst,
    remaining: isOver ? 0 : Math.max(0, Math.floor(tokens)),
    resetS: Math.ceil((burst - tokens) / perS),
    retryAfterS: isOver ? Math.max(1, Math.ceil((1 - tokens) / perS)) : 0,
  };
}
