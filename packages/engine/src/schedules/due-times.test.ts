import type { ScheduleMissed } from '@jobline/contracts';
import { expect, it } from 'vitest';
import { decideDueTimes, type PlannedTimes, plannedTimes } from './timing.js';

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
