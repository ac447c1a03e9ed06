import { describe, expect, test } from 'vitest';
import {
  formatClock,
  formatDate,
  formatDuration,
  formatLogTime,
  formatMoment,
  formatRelative,
  fromLocalInput,
  toLocalInput,
} from './times.js';

const NOW = Date.parse('2026-11-21T14:02:11.204Z');
const before = (ms: number) => new Date(NOW - ms).toISOString();

describe('formatRelative', () => {
  test.each([
    [0, 'now'],
    [4_900, 'now'],
    [40_000, '40 s ago'],
    [59_999, '59 s ago'],
    [180_000, '3 min ago'],
    [2 * 3_600_000, '2 h ago'],
    [5 * 86_400_000, '5 d ago'],
    [-90_000, 'in 1 min'],
  ])('%i ms before now is formatted as "%s"', (ms, text) => {
    expect(formatRelative(before(ms), NOW)).toBe(text);
  });

  test('times more than 30 days ago are formatted as a date', () => {
    expect(formatRelative(before(40 * 86_400_000), NOW)).toMatch(/^\d{1,2} Oct 2026$/);
  });

  test('an invalid time is formatted as a dash', () => {
    expect(formatRelative('soon', NOW)).toBe('–');
  });
});

test.each([
  [0, '0 ms'],
  [842, '842 ms'],
  [1_200, '1.2 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [59_600, '1 min 00 s'],
  [184_000, '3 min 04 s'],
  [7_500_000, '2 h 05 min'],
  [null, '–'],
  [-1, '–'],
])('a duration of %s ms is formatted as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('formatMoment shows the time zone, and formatLogTime shows milliseconds', () => {
  const iso = '2026-11-21T14:02:11.204Z';

  expect(formatMoment(iso, 'UTC')).toBe('21 Nov 2026, 14:02:11 UTC');
  expect(formatMoment(iso, 'Africa/Nairobi')).toBe('21 Nov 2026, 17:02:11 GMT+3');
  expect(formatLogTime(iso, 'UTC')).toBe('14:02:11.204');
  expect(formatClock(iso, 'UTC')).toBe('14:02');
  expect(formatDate(iso, 'UTC')).toBe('21 Nov 2026');
});

test('midnight is formatted as 00, not 24', () => {
  expect(formatClock('2026-11-21T00:05:00Z', 'UTC')).toBe('00:05');
});

test('a time with minute precision survives the conversion in every time zone', () => {
  for (const iso of ['2026-11-21T14:02:00.000Z', '2026-03-29T00:30:00.000Z', '2026-12-31T23:59:00.000Z']) {
    expect(fromLocalInput(toLocalInput(iso))).toBe(iso);
  }
});

test('an empty or incomplete input gives no time', () => {
  expect(fromLocalInput('')).toBeNull();
  expect(fromLocalInput('2026-11-')).toBeNull();
  expect(toLocalInput(null)).toBe('');
  expect(toLocalInput('soon')).toBe('');
});
