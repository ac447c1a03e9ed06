import { describe, expect, test } from 'vitest';
import { dayText, readTime } from './shown-time.js';

describe('a date is printed as written', () => {
  test.each<[string, string]>([
    ['2026-03-31', '31 March 2026'],
    ['2026-03-31T00:00:00+03:00', '31 March 2026'],
    ['2026-02-28T20:00-05:00', '28 February 2026'],
    ['2026-03-01 00:30', '1 March 2026'],
    ['2026-03-01T23:59:59', '1 March 2026'],
    ['2026-03-01T00:00:00Z', '1 March 2026'],
    ['2026-03-01T23:30:00.123456789Z', '1 March 2026'],
    ['2026-12-31T23:59:59-11:00', '31 December 2026'],
    ['2026-01-01T00:00:00+14:00', '1 January 2026'],
    ['2026-03-01T00:15:00+0545', '1 March 2026'],
    ['2026-03-01 00:30:00.5+03', '1 March 2026'],
    ['2026-03-01 23:30:00 -0800', '1 March 2026'],
    ['2026-03-01t00:30:00z', '1 March 2026'],
    ['2026-03-29T00:30+01:00[Europe/Berlin]', '29 March 2026'],
    ['2026-03-31+03:00', '31 March 2026'],
    ['Tue, 31 Mar 2026 23:00:00 -0500', '31 March 2026'],
    ['Tue, 31 Mar 2026 00:00:00 GMT', '31 March 2026'],
    ['Tue Mar 31 2026 00:00:00 GMT+0300 (East Africa Time)', '31 March 2026'],
    ['31 March 2026', '31 March 2026'],
    ['March 31, 2026', '31 March 2026'],
    ['March 31, 2026 11:30 PM', '31 March 2026'],
    ['2026/03/31', '31 March 2026'],
    [' 2026-03-31 ', '31 March 2026'],
  ])('%s as %s', (text, printed) => {
    expect(dayText(text, undefined)).toBe(printed);
  });

  test.each<unknown>([
    'On receipt',
    'Net 30',
    '30 days',
    'March 2026',
    '2026',
    '2026-03',
    '20260331',
    // The order of day and month is unknown.
    '03/04/2026',
    '31.03.2026',
    '2026-02-30',
    '2026-13-01T00:00Z',
    '2026-03-01T25:00Z',
    '',
    ' '.repeat(1_000_000),
    20_260_331,
    1_774_915_200,
    null,
    true,
  ])('what is no date is unchanged: %j', (value) => {
    expect(dayText(value, undefined)).toBe(value);
    expect(dayText(value, 'Africa/Nairobi')).toBe(value);
  });
});

describe('with a time zone, only a time with an offset is moved', () => {
  test.each<[text: string, timezone: string, printed: string]>([
    ['2026-03-30T21:00:00Z', 'Africa/Nairobi', '31 March 2026'],
    ['2026-03-31T00:00:00+03:00', 'America/New_York', '30 March 2026'],
    ['2026-02-28T20:00-05:00', 'Europe/Berlin', '1 March 2026'],
    ['Tue, 31 Mar 2026 23:00:00 -0500', 'Asia/Tokyo', '1 April 2026'],
    ['2026-03-31T10:00:00Z', 'Pacific/Kiritimati', '1 April 2026'],
    ['2026-03-31', 'Pacific/Kiritimati', '31 March 2026'],
    ['2026-03-31', 'America/Los_Angeles', '31 March 2026'],
    ['2026-03-01 00:30', 'America/Los_Angeles', '1 March 2026'],
    ['2026-03-01T23:30:00', 'Asia/Tokyo', '1 March 2026'],
    ['March 1, 2026 11:30 PM', 'Asia/Tokyo', '1 March 2026'],
    ['2026-03-31+14:00', 'America/Los_Angeles', '31 March 2026'],
  ])('%s in %s as %s', (text, timezone, printed) => {
    expect(dayText(text, timezone)).toBe(printed);
  });
});

test('today is the day of the time zone', () => {
  const days = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((timezone) => dayText('now', timezone));

  // These zones are 25 hours apart.
  expect(days[0]).not.toBe(days[1]);
  expect(dayText('today', undefined)).toMatch(/^\d{1,2} \p{L}+ \d{4}$/u);
});

test('the clock and the offset of a time are read', () => {
  expect(readTime('2026-03-01T00:30:15+03:00')).toEqual({
    shownMs: Date.UTC(2026, 2, 1, 0, 30, 15),
    offsetMinutes: 180,
  });
  expect(readTime('2026-03-01T00:30Z')).toEqual({ shownMs: Date.UTC(2026, 2, 1, 0, 30), offsetMinutes: 0 });
  expect(readTime('2026-03-01 00:30')).toEqual({ shownMs: Date.UTC(2026, 2, 1, 0, 30), offsetMinutes: null });
});
