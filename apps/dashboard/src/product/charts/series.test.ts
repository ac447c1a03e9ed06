import { expect, test } from 'vitest';
import { rangeOf, summaryOf } from './series.js';

test('the summary describes the chart in one sentence', () => {
  const at = (hour: number) => new Date(2026, 10, 21, hour).toISOString();
  const series = [
    { at: at(13), done: 2, failed: 0 },
    { at: at(14), done: 5, failed: 1 },
  ];

  expect(summaryOf(series, '24 h')).toBe('7 jobs done and 1 failed attempt in 24 h; busiest at 14:00.');
  expect(summaryOf([], '1 h')).toBe('No job finished in 1 h.');
});

test('a range of steps ends with the end of its last step, however it was drawn', () => {
  const series = [0, 1, 2].map((hour) => ({
    at: new Date(Date.UTC(2026, 10, 21, hour)).toISOString(),
    done: 0,
    failed: 0,
  }));
  const range = ['2026-11-21T01:00:00.000Z', '2026-11-21T03:00:00.000Z'];

  expect([rangeOf(series, 1, 2), rangeOf(series, 2, 1)]).toEqual([range, range]);
  expect(rangeOf(series, 0, 3)).toBeNull();
});
