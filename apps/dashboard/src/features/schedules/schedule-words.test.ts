import { expect, test } from 'vitest';
import { periodOf, timingOf } from './schedule-words.js';
import type { Schedule } from './use-schedules.js';

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

test('a timing is shown with its time zone, and a period with its unit', () => {
  const schedule = { cron: null, every_seconds: null, timezone: 'Europe/Berlin' } as Schedule;

  expect(timingOf({ ...schedule, cron: '0 9 * * 1-5' })).toBe('0 9 * * 1-5 · Europe/Berlin');
  expect(timingOf({ ...schedule, every_seconds: 300 })).toBe('every 5 min');
});
