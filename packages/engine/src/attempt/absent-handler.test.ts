import { expect, test } from 'vitest';
import { decideAbsent } from './absent-handler.js';

const MINUTE_MS = 60_000;
const NO_HANDLER_AFTER_MS = 15 * MINUTE_MS;

test('a job of a type that no worker ever handled does not wait', () => {
  expect(decideAbsent(null, NO_HANDLER_AFTER_MS, 0)).toBeNull();
});

test('a job whose handler is absent waits one second at first, then longer, and at most half a minute', () => {
  const waits = [0, 10_000, 60_000, 5 * MINUTE_MS, 14 * MINUTE_MS].map((ms) =>
    decideAbsent(ms, NO_HANDLER_AFTER_MS, 0),
  );

  expect(waits).toEqual([1_000, 1_000, 6_000, 30_000, 30_000]);
});

test('a job waits the full time after its type was last seen, which is recorded once per minute', () => {
  expect(decideAbsent(16 * MINUTE_MS, NO_HANDLER_AFTER_MS, 0)).not.toBeNull();
  expect(decideAbsent(16 * MINUTE_MS + 1, NO_HANDLER_AFTER_MS, 0)).toBeNull();
});

test('the jobs of an absent type do not all return at the same moment', () => {
  expect(decideAbsent(0, NO_HANDLER_AFTER_MS, 0.99)).toBeLessThan(1_000);
});
