import { expect, test } from 'vitest';
import { timingOf } from './schedule-words.js';
import type { Schedule } from './use-schedules.js';

test('a timing is shown with its time zone, and a period with its unit', () => {
  const schedule = { cron: null, every_seconds: null, timezone: 'Europe/Berlin' } as Schedule;

  expect(timingOf({ ...schedule, cron: '0 9 * * 1-5' })).toBe('0 9 * * 1-5 · Europe/Berlin');
  expect(timingOf({ ...schedule, every_seconds: 300 })).toBe('every 5 min');
});
