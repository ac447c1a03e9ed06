import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Bucket, fullBucket, refill } from './bucket.js';
import { createSharedBuckets, type SharedBuckets } from './token-buckets.js';

const SIZE = { perS: 100, burst: 100 };
const TELL_EVERY_MS = 200;

let shared: Map<string, Bucket>;
let isAway: boolean;
let told: number;
const opened: SharedBuckets[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  shared = new Map();
  isAway = false;
  told = 0;
});
afterEach(() => {
  for (const buckets of opened.splice(0)) buckets.close();
  vi.useRealTimers();
});

/** As one process has them. */
function open(more: { tellFrom?: number } = {}): SharedBuckets {
  const nowMs = () => Date.now();
  const buckets = createSharedBuckets({
    ...SIZE,
    ...more,
    tellEveryMs: TELL_EVERY_MS,
    nowMs,
    async tell(who, taken, inMs) {
      told++;
      if (isAway) return null;
      const bucket = shared.get(who) ?? fullBucket(SIZE, nowMs() - inMs);
      shared.set(who, bucket);
      refill(bucket, { ...SIZE, burst: SIZE.burst + (inMs * SIZE.perS) / 1_000 }, nowMs());
      bucket.tokens = Math.min(SIZE.burst, bucket.tokens - taken);
      return bucket.tokens;
    },
  });
  opened.push(buckets);
  return buckets;
}

/** How many are given out when everybody takes all they can for so many ms. */
async function takeAll(processes: readonly SharedBuckets[], ms: number): Promise<number> {
  let given = 0;
  for (let passed = 0; passed < ms; passed += 10) {
    for (const buckets of processes) while (!buckets.take('org').isOver) given++;
    await vi.advanceTimersByTimeAsync(10);
  }
  return given;
}

it('a second worth may come at once, then as much as flows in, and it is said how much and when', () => {
  const buckets = open();
  expect(buckets.take('org')).toEqual({ isOver: false, limit: 100, remaining: 99, resetS: 1, retryAfterS: 0 });
  for (let n = 2; n <= 100; n++) expect(buckets.take('org').isOver).toBe(false);

  expect(buckets.take('org')).toEqual({ isOver: true, limit: 100, remaining: 0, resetS: 1, retryAfterS: 1 });
  expect(buckets.take('another').isOver).toBe(false);
  vi.advanceTimersByTime(10);
  expect(buckets.take('org').isOver).toBe(false);
  expect(buckets.take('org').isOver).toBe(true);
});

it('a batch larger than the bucket passes, and is waited off afterwards', () => {
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

it('one process gives out the rate', async () => {
  const given = await takeAll([open()], 10_000);

  expect(given).toBeGreaterThanOrEqual(1_090);
  expect(given).toBeLessThanOrEqual(1_100);
});

it('two processes together give out the rate, and at most a second and two tellings of it more', async () => {
  const given = await takeAll([open(), open()], 10_000);

  expect(given).toBeGreaterThanOrEqual(1_050);
  expect(given).toBeLessThanOrEqual(1_100 + SIZE.burst + (2 * TELL_EVERY_MS * SIZE.perS) / 1_000);
});

it('while the shared bucket cannot be reached each gives out the rate by itself, and nobody waits that off later', async () => {
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

it('who asks for nothing costs nothing: no memory once the bucket is full, and no telling', async () => {
  const buckets = open();
  buckets.take('org');
  buckets.take('owing');
  buckets.takeMore('owing', 500);
  await vi.advanceTimersByTimeAsync(1_000);

  expect(told).toBe(2);
  expect(buckets.size()).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(buckets.size()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it('who takes seldom is not told of, and is forgotten; who takes a lot is', async () => {
  const buckets = open({ tellFrom: 20 });
  for (let n = 0; n < 5; n++) {
    buckets.take('seldom');
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(told).toBe(0);
  expect(buckets.size()).toBe(0);

  for (let n = 0; n < 30; n++) buckets.take('often');
  await vi.advanceTimersByTimeAsync(TELL_EVERY_MS);
  expect(told).toBe(1);
  expect(shared.has('often')).toBe(true);
});

it('looking takes nothing, and says when there is nothing left', () => {
  const buckets = open();
  expect(buckets.look('org')).toMatchObject({ isOver: false, remaining: 100 });
  expect(buckets.size()).toBe(0);

  while (!buckets.take('org').isOver);
  expect(buckets.look('org')).toEqual({ isOver: true, limit: 100, remaining: 0, resetS: 1, retryAfterS: 1 });
});
