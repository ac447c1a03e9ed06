import { expect, it } from 'vitest';
import { findWallClock, type WallClock } from './wall-clock.js';

const MINUTE_MS = 60_000;

function clockOf(timezone: string): WallClock {
  const clock = findWallClock(timezone);
  if (!clock) throw new Error(`no time zone ${timezone}`);
  return clock;
}

/** `2026-03-29 02:30` as a local time. */
const local = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);
const iso = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z');

it.each([
  // Berlin, New York: an hour at night.
  ['Europe/Berlin', '2026-03-29 01:59', '2026-03-29T00:59Z'],
  ['Europe/Berlin', '2026-03-29 02:00', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-03-29 02:59', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-03-29 03:00', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-03-29 03:01', '2026-03-29T01:01Z'],
  ['Europe/Berlin', '2026-10-25 01:59', '2026-10-24T23:59Z'],
  ['Europe/Berlin', '2026-10-25 02:00', '2026-10-25T00:00Z'],
  ['Europe/Berlin', '2026-10-25 02:59', '2026-10-25T00:59Z'],
  ['Europe/Berlin', '2026-10-25 03:00', '2026-10-25T02:00Z'],
  ['America/New_York', '2026-03-08 02:30', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01 01:30', '2026-11-01T05:30Z'],
  ['America/New_York', '2026-11-01 02:00', '2026-11-01T07:00Z'],
  // Lord Howe: half an hour.
  ['Australia/Lord_Howe', '2026-10-04 01:59', '2026-10-03T15:29Z'],
  ['Australia/Lord_Howe', '2026-10-04 02:15', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', '2026-10-04 02:30', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', '2026-04-05 01:45', '2026-04-04T14:45Z'],
  ['Australia/Lord_Howe', '2026-04-05 02:00', '2026-04-04T15:30Z'],
  // Cairo: at midnight.
  ['Africa/Cairo', '2026-04-24 00:00', '2026-04-23T22:00Z'],
  ['Africa/Cairo', '2026-04-24 00:59', '2026-04-23T22:00Z'],
  ['Africa/Cairo', '2026-10-29 23:30', '2026-10-29T20:30Z'],
  ['Africa/Cairo', '2026-10-30 00:00', '2026-10-29T22:00Z'],
  // Zones far from UTC, and one with 45 minutes.
  ['Pacific/Kiritimati', '2026-01-01 00:00', '2025-12-31T10:00Z'],
  ['Pacific/Pago_Pago', '2026-01-01 00:00', '2026-01-01T11:00Z'],
  ['Asia/Kathmandu', '2026-01-01 00:00', '2025-12-31T18:15Z'],
  ['Pacific/Chatham', '2026-09-27 02:50', '2026-09-26T14:00Z'],
  // A whole day was skipped.
  ['Pacific/Apia', '2011-12-30 12:00', '2011-12-30T10:00Z'],
])('%s: the clock reaches %s at %s', (timezone, localTime, instant) => {
  expect(iso(clockOf(timezone).instantOf(local(localTime)))).toBe(instant);
});

it.each([
  ['Europe/Berlin', '2026-03-22T00:00:00Z', 14],
  ['Europe/Berlin', '2026-10-18T00:00:00Z', 14],
  ['America/New_York', '2026-10-27T00:00:00Z', 14],
  ['Australia/Lord_Howe', '2026-03-30T00:00:00Z', 14],
  ['Australia/Lord_Howe', '2026-09-28T00:00:00Z', 14],
  ['Africa/Cairo', '2026-04-20T00:00:00Z', 14],
  ['Africa/Cairo', '2026-10-25T00:00:00Z', 14],
  ['Asia/Kolkata', '2026-06-01T00:00:00Z', 2],
  ['UTC', '2026-06-01T00:00:00Z', 2],
])('%s: from %s, both directions agree at every quarter of an hour', (timezone, from, days) => {
  const { instantOf, reachedAt } = clockOf(timezone);
  const start = Date.parse(from);
  let reached = 0;
  for (let at = start; at < start + days * 24 * 60 * MINUTE_MS; at += 15 * MINUTE_MS) {
    const now = reachedAt(at);
    expect(now).toBeGreaterThanOrEqual(reached);
    // The latest local time that was reached by now, and not the next second.
    expect(instantOf(now)).toBeLessThanOrEqual(at);
    expect(instantOf(now + 1_000)).toBeGreaterThan(at);
    reached = now;
  }
});

it.each(['', 'Nowhere/City', '+01:00', 'Europe/Berlin ', 'UTC\n', `Europe/${'x'.repeat(100)}`, '../etc', 'Z'])(
  '%j is no time zone',
  (timezone) => {
    expect(findWallClock(timezone)).toBeNull();
  },
);

it('the name of a time zone may be in any letter case', () => {
  expect(findWallClock('europe/ROME')?.instantOf(local('2026-07-01 12:00'))).toBe(Date.parse('2026-07-01T10:00Z'));
});
