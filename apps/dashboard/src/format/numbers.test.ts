import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatExact, formatNumber, formatShare, periodOf } from './numbers.js';

test.each([
  [0, '0'],
  [1_204, '1,204'],
  [9_999, '9,999'],
  [10_000, '10K'],
  [1_234_567, '1.2M'],
  [null, '–'],
  [undefined, '–'],
  [Number.NaN, '–'],
])('%s is formatted as %s: compact above 9,999, a dash for unknown values', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test('formatExact shows every digit', () => {
  expect(formatExact(1_234_567)).toBe('1,234,567');
});

test.each([
  [9, 1_213, '0.7%'],
  [1, 100_000, '<0.1%'],
  [0, 10, '0%'],
  [1, 3, '33%'],
  [10, 10, '100%'],
  [0, 0, '–'],
])('the share of %i in %i is formatted as %s', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text);
});

test.each([
  [0, '0 B'],
  [512, '512 B'],
  [1_229, '1.2 KB'],
  [35_651_584, '34 MB'],
  [null, '–'],
])('%s bytes are formatted as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('formatCount uses the singular only for one', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'job'))).toEqual(['0 jobs', '1 job', '2 jobs']);
  expect(formatCount(2, 'entry', 'entries')).toBe('2 entries');
});

test.each([
  [5, 5, 'seconds'],
  [90, 90, 'seconds'],
  [300, 5, 'minutes'],
  [5_400, 90, 'minutes'],
  [7_200, 2, 'hours'],
  [86_400, 1, 'days'],
  [129_600, 36, 'hours'],
])('%i seconds are %i %s', (seconds, count, unit) => {
  expect(periodOf(seconds)).toEqual({ count, unit });
});
