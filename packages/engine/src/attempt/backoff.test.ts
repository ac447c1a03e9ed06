import { expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

const policy = { baseMs: 1_000, maxMs: 3_600_000 };

it.each([
  { retry: 1, exactMs: 1_000 },
  { retry: 2, exactMs: 2_000 },
  { retry: 5, exactMs: 16_000 },
])('retry $retry waits $exactMs ms, plus or minus 20 %', ({ retry, exactMs }) => {
  expect(backoffMs(retry, policy, 0)).toBe(exactMs * 0.8);
  expect(backoffMs(retry, policy, 0.5)).toBe(exactMs);
  expect(backoffMs(retry, policy, 0.999_999)).toBeLessThanOrEqual(exactMs * 1.2);
});

it('no retry waits longer than the maximum, even with jitter', () => {
  expect(backoffMs(13, policy, 0.999)).toBe(3_600_000);
  expect(backoffMs(100, policy, 0)).toBe(3_600_000);
});
