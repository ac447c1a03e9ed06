import type { ScheduleMissed } from '@jobline/contracts';
import { expect, it } from 'vitest';
import { decideDueTimes, type PlannedTimes, plannedTimes } from './timing.js';

const EPOCH = new Date(0);

/** The times after `from`, as UTC. */
function timesOf(cron: string, timezone: string, from: string, count: number): string[] {
  const { next, previous } = plannedTimes({ cron, timezone, everySeconds: null, anchorAt: EPOCH });
  const times: number[] = [];
  for (let at = next(Date.parse(from)); at !== null && times.length < count; at = next(at)) {
    // The same times are found from later ones.
    if (times.length > 0) expect(previous(at)).toBe(times.at(-1));
    expect(previous(at + 1)).toBe(at);
    times.push(at);
  }
  return times.map((ms) => new Date(ms).toISOString().replace(':00.000Z', 'Z'));
}

it.each([
  // A local time that does not exist runs at the first instant after the gap.
  ['30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00Z', ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z']],
  ['0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T01:00Z']],
  ['30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', ['2026-03-08T07:00Z', '2026-03-09T06:30Z']],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', ['2026-10-03T15:30Z', '2026-10-04T15:15Z']],
  ['0 0 * * *', 'Africa/Cairo', '2026-04-22T23:00Z', ['2026-04-23T22:00Z', '2026-04-24T21:00Z']],
  // Times inside a gap fall together with each other, and with the first time after it.
  [
    '0,30 2,3 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-29T01:30Z', '2026-03-30T00:00Z'],
  ],
  [
    '*/20 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:30Z',
    ['2026-03-29T00:40Z', '2026-03-29T01:00Z', '2026-03-29T01:20Z'],
  ],
  [
    '*/10 * * * *',
    'Australia/Lord_Howe',
    '2026-10-03T15:15Z',
    ['2026-10-03T15:20Z', '2026-10-03T15:30Z', '2026-10-03T15:40Z'],
  ],
  ['10 * * * *', 'Africa/Cairo', '2026-04-23T21:00Z', ['2026-04-23T21:10Z', '2026-04-23T22:00Z', '2026-04-23T22:10Z']],
  // A local time that occurs twice runs once, the first time, and so does an hour of wildcards.
  ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
  ['30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
  ['30 23 * * *', 'Africa/Cairo', '2026-10-29T12:00Z', ['2026-10-29T20:30Z', '2026-10-30T21:30Z']],
  [
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-10-25T00:10Z',
    ['2026-10-25T00:30Z', '2026-10-25T02:00Z', '2026-10-25T02:30Z'],
  ],
  // From within the repeated hour, its times are over.
  ['*/30 * * * *', 'Europe/Berlin', '2026-10-25T01:10Z', ['2026-10-25T02:00Z', '2026-10-25T02:30Z']],
  [
    '0 * * * *',
    'America/New_York',
    '2026-11-01T04:30Z',
    ['2026-11-01T05:00Z', '2026-11-01T07:00Z', '2026-11-01T08:00Z'],
  ],
  [
    '*/15 * * * *',
    'Australia/Lord_Howe',
    '2026-04-04T14:40Z',
    ['2026-04-04T14:45Z', '2026-04-04T15:30Z', '2026-04-04T15:45Z'],
  ],
  ['30 * * * *', 'Africa/Cairo', '2026-10-29T20:00Z', ['2026-10-29T20:30Z', '2026-10-29T22:30Z']],
  // Elsewhere, the same hour has another instant in summer.
  ['0 9 * * 1-5', 'Asia/Kathmandu', '2026-06-05T12:00Z', ['2026-06-08T03:15Z', '2026-06-09T03:15Z']],
  ['0 0 L * *', 'Pacific/Kiritimati', '2026-01-15T00:00Z', ['2026-01-30T10:00Z', '2026-02-27T10:00Z']],
])('%s in %s after %s: %j', (cron, timezone, from, times) => {
  expect(timesOf(cron, timezone, from, times.length)).toEqual(times);
});

it('a time that never comes has no next and no previous time', () => {
  const { next, previous } = plannedTimes({ cron: '0 0 30 2 *', timezone: 'UTC', everySeconds: null, anchorAt: EPOCH });
  expect([next(Date.now()), previous(Date.now())]).toEqual([null, null]);
});

it('a period counts from its anchor, with the first time one period later', () => {
  const anchorAt = new Date('2026-10-24T23:59:58.123Z');
  const anchor = anchorAt.getTime();
  const { next, previous } = plannedTimes({ cron: null, timezone: 'Europe/Berlin', everySeconds: 90, anchorAt });
  expect(next(anchor - 1_000_000)).toBe(anchor + 90_000);
  expect(next(anchor)).toBe(anchor + 90_000);
  expect(next(anchor + 90_000 - 1)).toBe(anchor + 90_000);
  expect(next(anchor + 90_000)).toBe(anchor + 180_000);
  expect(previous(anchor + 90_000)).toBeNull();
  expect(previous(anchor + 90_001)).toBe(anchor + 90_000);
  expect(previous(anchor + 180_000)).toBe(anchor + 90_000);
});

it('a process that does not know a time zone says which', () => {
  const timing = { cron: '* * * * *', timezone: 'Mars/Base', everySeconds: null, anchorAt: EPOCH };
  expect(() => plannedTimes(timing)).toThrow('this process does not know the time zone Mars/Base');
});

const NOW = Date.parse('2026-06-01T12:00:00Z');
const agoOf = (times: readonly number[]) => times.map((at) => (NOW - at) / 1_000);
const every = (everySeconds: number) =>
  plannedTimes({ cron: null, everySeconds, timezone: 'UTC', anchorAt: new Date(NOW - 1_000_000_000) });

function decide(planned: PlannedTimes, ago: number, missed: ScheduleMissed) {
  const { times, isShortened } = decideDueTimes(planned, { nextMs: NOW - ago * 1_000, nowMs: NOW, missed });
  return { ago: agoOf(times), isShortened };
}

it.each(['run_once', 'run_all', 'skip'] as const)(
  'a time that is due, or late by a minute, is made with %s',
  (missed) => {
    for (const ago of [0, 1, 60])
      expect(decide(every(1_000_000_000), ago, missed)).toEqual({ ago: [ago], isShortened: false });
  },
);

it.each(['run_once', 'run_all', 'skip'] as const)('each time of the last minute is made with %s', (missed) => {
  expect(decide(every(20), 60, missed)).toEqual({ ago: [60, 40, 20, 0], isShortened: false });
});

it('run_once makes one job for all missed times, at the last of them, and the times of the last minute', () => {
  expect(decide(every(100), 300, 'run_once')).toEqual({ ago: [100, 0], isShortened: true });
  expect(decide(every(100), 100, 'run_once')).toEqual({ ago: [100, 0], isShortened: false });
  expect(decide(every(50), 1_000, 'run_once')).toEqual({ ago: [100, 50, 0], isShortened: true });
});

it('skip makes no missed times', () => {
  expect(decide(every(100), 300, 'skip')).toEqual({ ago: [0], isShortened: true });
  expect(decide(every(1_000_000_000), 61, 'skip')).toEqual({ ago: [], isShortened: true });
});

it('run_all makes the latest 100 missed times, and the times of the last minute', () => {
  const all = (first: number, step: number) => Array.from({ length: first / step + 1 }, (_, n) => first - n * step);
  expect(decide(every(100), 500, 'run_all')).toEqual({ ago: all(500, 100), isShortened: false });
  expect(decide(every(100), 10_000, 'run_all')).toEqual({ ago: all(10_000, 100), isShortened: false });
  expect(decide(every(100), 10_100, 'run_all')).toEqual({ ago: all(10_000, 100), isShortened: true });
  expect(decide(every(20), 500_000, 'run_all')).toEqual({ ago: all(2_060, 20), isShortened: true });
});

it('times inside a gap of daylight saving count once', () => {
  const planned = plannedTimes({
    cron: '*/30 * * * *',
    everySeconds: null,
    timezone: 'Europe/Berlin',
    anchorAt: new Date(0),
  });
  const [nextMs, nowMs] = [Date.parse('2026-03-29T00:30:00Z'), Date.parse('2026-03-29T02:00:00Z')];
  const { times } = decideDueTimes(planned, { nextMs, nowMs, missed: 'run_all' });
  expect(times.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(['00:30', '01:00', '01:30', '02:00']);
});

it('the next planned time is made, even if it is not one of the plan', () => {
  const planned = plannedTimes({ cron: '@monthly', everySeconds: null, timezone: 'UTC', anchorAt: new Date(0) });
  expect(decide(planned, 5, 'skip')).toEqual({ ago: [5], isShortened: false });
});

it('the cost does not grow with the number of missed times', () => {
  let read = 0;
  const planned = every(5);
  const counting: PlannedTimes = {
    next: planned.next,
    previous(at) {
      read++;
      return planned.previous(at);
    },
  };
  decide(counting, 900_000_000 / 1_000, 'run_all');
  expect(read).toBeLessThan(120);
});
