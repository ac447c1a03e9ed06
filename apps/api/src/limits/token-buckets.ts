import { type Bucket, type BucketSize, fullBucket, refill, take, tallyOf } from './bucket.js';
import type { Tally } from './rate-limit-state.js';

/**
 * A bucket for each of many, in memory, so that taking from it waits for nothing. While one is used, what was taken is
 * told to the bucket that all processes share, and what is left there is the most that is left here. Between two
 * tellings each process may give out what is really another's; that is then owed by all of them, so over time they
 * give out no more than the rate together. While the shared bucket cannot be reached, each goes by its own alone.
 */
export interface SharedBuckets {
  /** Takes one. */
  take(who: string): Tally;
  /** Takes more for the same request: all of it, unless something is owed already. */
  takeMore(who: string, count: number): Tally;
  /** How they stand, without taking anything. */
  look(who: string): Tally;
  /** How many are held in memory: those in use, and those that owe. */
  size(): number;
  close(): void;
}

export interface SharedBucketsOptions extends BucketSize {
  /** Takes from the shared bucket what was taken in so many ms; what is left in it, or null when it cannot be reached. */
  tell(who: string, taken: number, inMs: number): Promise<number | null>;
  tellEveryMs: number;
  /** So much has to be taken before it is told: what a caller takes seldom costs no telling. Absent: 1. */
  tellFrom?: number;
  nowMs?: () => number;
}

interface Held extends Bucket {
  /** What was taken since the last telling. */
  untold: number;
  isUsed: boolean;
  toldAtMs: number;
}

/** Beyond it the one first used is forgotten, so that callers without number cannot fill the memory. */
const MAX_HELD = 100_000;

export function createSharedBuckets(options: SharedBucketsOptions): SharedBuckets {
  const { tell, tellEveryMs, tellFrom = 1, nowMs = () => performance.now() } = options;
  const buckets = new Map<string, Held>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function takeFrom(who: string, count: number, least: number): Tally {
    let bucket = buckets.get(who);
    if (bucket) refill(bucket, options, nowMs());
    else {
      forgetOldest();
      bucket = { ...fullBucket(options, nowMs()), untold: 0, isUsed: false, toldAtMs: nowMs() };
      buckets.set(who, bucket);
      wakeLater();
    }
    bucket.isUsed = true;
    const isTaken = take(bucket, count, least);
    if (isTaken) bucket.untold += count;
    return tallyOf(bucket, options, !isTaken);
  }

  function forgetOldest(): void {
    if (buckets.size < MAX_HELD) return;
    const oldest = buckets.keys().next();
    if (!oldest.done) buckets.delete(oldest.value);
  }

  /** Unreferenced, because it is no reason for the process to stay. */
  function wakeLater(): void {
    if (isClosed) return;
    timer ??= setTimeout(tellAll, tellEveryMs).unref();
  }

  async function tellAll(): Promise<void> {
    const due = [...buckets].filter(
      ([, { isUsed, untold, tokens }]) => isUsed && (untold >= tellFrom || tokens < tellFrom),
    );
    await Promise.all(due.map(([who, bucket]) => tellOf(who, bucket)));
    for (const [who, bucket] of buckets) {
      refill(bucket, options, nowMs());
      // What has flowed in again by now need not be told.
      if (bucket.untold < tellFrom && bucket.tokens >= options.burst) buckets.delete(who);
    }
    timer = undefined;
    if (buckets.size > 0) wakeLater();
  }

  async function tellOf(who: string, bucket: Held): Promise<void> {
    const { untold, toldAtMs } = bucket;
    bucket.untold = 0;
    bucket.isUsed = false;
    bucket.toldAtMs = nowMs();
    // What could not be told is not told later: nobody should wait off what was given out during an outage.
    const left = await tell(who, untold, bucket.toldAtMs - toldAtMs);
    refill(bucket, options, nowMs());
    if (left !== null) bucket.tokens = Math.min(bucket.tokens, left - bucket.untold);
  }

  return {
    take: (who) => takeFrom(who, 1, 1),
    takeMore: (who, count) => takeFrom(who, count, 0),
    look(who) {
      const bucket = buckets.get(who);
      if (bucket) refill(bucket, options, nowMs());
      const now = bucket ?? fullBucket(options, nowMs());
      return tallyOf(now, options, now.tokens < 1);
    },
    size: () => buckets.size,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
