import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Bucket, createTokenBuckets, fullBucket, refill, type TokenBuckets } from './token-buckets.js';

const SIZE = { perS: 100, burst: 100 };
const REPORT_EVERY_MS = 200;

let shared: Map<string, Bucket>;
let isAway: boolean;
let reports: number;
const opened: TokenBuckets[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  shared = new Map();
  isAway = false;
  reports = 0;
});
afterEach(() => {
  for (const buckets of opened.splice(0)) buckets.close();
  vi.useRealTimers();
});

/** The buckets of one process. */
function open(more: { reportFrom?: number } = {}): TokenBuckets {
  const nowMs = () => Date.now();
  const buckets = createTokenBuckets({
    ...SIZE,
    ...more,
    reportEveryMs: REPORT_EVERY_MS,
    nowMs,
    async report(key, taken, inMs) {
      reports++;
      if (isAway) return null;
      const bucket = shared.get(key) ?? fullBucket(SIZE, nowMs() - inMs);
      shared.set(key, bucket);
      refill(bucket, { ...SIZE, burst: SIZE.burst + (inMs * SIZE.perS) / 1_000 }, nowMs());
      bucket.tokens = Math.min(SIZE.burst, bucket.tokens - taken);
      return bucket.tokens;
    },
  });
  opened.push(buckets);
  return buckets;
}

/** How many tokens the processes take within `ms`, when each takes as many as it can. */
async function takeAll(processes: readonly TokenBuckets[], ms: number): Promise<number> {
  let given = 0;
  for (let passed = 0; passed < ms; passed += 10) {
    for (const buckets of processes) while (!buckets.take('org').isOver) given++;
    await vi.advanceTimersByTimeAsync(10);
  }
  return given;
}

it('a bucket allows one second of requests at once, then the rate, and reports the state', () => {
  const buckets = open();
  expect(buckets.take('org')).toEqual({ isOver: false, limit: 100, remaining: 99, resetS: 1, retryAfterS: 0 });
  for (let n = 2; n <= 100; n++) expect(buckets.take('org').isOver).toBe(false);

  expect(buckets.take('org')).toEqual({ isOver: true, limit: 100, remaining: 0, resetS: 1, retryAfterS: 1 });
  expect(buckets.take('another').isOver).toBe(false);
  vi.advanceTimersByTime(10);
  expect(buckets.take('org').isOver).toBe(false);
  expect(buckets.take('org').isOver).toBe(true);
});

it('a batch larger than the bucket is allowed, and later requests wait until it has refilled', () => {
  const buckets = open();
  expect(buckets.take('org').isOver).toBe(false);
  expect(buckets.takeMore('org', 999)).toEqual({ isOver: false, limit: 100, remaining: 0, resetS: 10, retryAfterS: 0 });

  expect(buckets.take('org')).toMatchObject({ isOver: true, retryAfterS: 10 });
  expect(buckets.takeMore('org', 1).isOver).toBe(true);
  vi.advanceTimersByTime(8_900);
  expect(buckets.take('org').isOver).toBe(true);
  vi.advanceTimersByTime(200);
  expect(buckets.take('org').isOver).toBe(false);
});

it('one process allows the rate', async () => {
  const given = await takeAll([open()], 10_000);

  expect(given).toBeGreaterThanOrEqual(1_090);
  expect(given).toBeLessThanOrEqual(1_100);
});

it('two processes together allow the rate, plus at most one second and two report intervals', async () => {
  const given = await takeAll([open(), open()], 10_000);

  expect(given).toBeGreaterThanOrEqual(1_050);
  expect(given).toBeLessThanOrEqual(1_100 + SIZE.burst + (2 * REPORT_EVERY_MS * SIZE.perS) / 1_000);
});

it('while the shared bucket is unreachable each process allows the rate, and callers do not wait for it later', async () => {
  const processes = [open(), open()];
  isAway = true;
  const alone = await takeAll(processes, 10_000);
  expect(alone).toBeGreaterThanOrEqual(2_180);
  expect(alone).toBeLessThanOrEqual(2_200);

  isAway = false;
  await takeAll(processes, 1_000);
  const together = await takeAll(processes, 10_000);
  expect(together).toBeGreaterThanOrEqual(900);
  expect(together).toBeLessThanOrEqual(1_100);
});

it('an unused bucket costs nothing: it leaves the memory once it is full, and is not reported', async () => {
  const buckets = open();
  buckets.take('org');
  buckets.take('owing');
  buckets.takeMore('owing', 500);
  await vi.advanceTimersByTimeAsync(1_000);

  expect(reports).toBe(2);
  expect(buckets.size()).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(buckets.size()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it('who takes seldom is not reports of, and is forgotten; who takes a lot is', async () => {
  const buckets = open({ reportFrom: 20 });
  for (let n = 0; n < 5; n++) {
    buckets.take('seldom');
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(reports).toBe(0);
  expect(buckets.size()).toBe(0);

  for (let n = 0; n < 30; n++) buckets.take('often');
  await vi.advanceTimersByTimeAsync(REPORT_EVERY_MS);
  expect(reports).toBe(1);
  expect(shared.has('often')).toBe(true);
});

it('look takes no token and reports when none is left', () => {
  const buckets = open();
  expect(buckets.look('org')).toMatchObject({ isOver: false, remaining: 100 });
  expect(buckets.size()).toBe(0);

  while (!buckets.take('org').isOver);
  expect(buckets.look('org')).toEqual({ isOver: true, limit: 100, remaining: 0, resetS: 1, retryAfterS: 1 });
});
