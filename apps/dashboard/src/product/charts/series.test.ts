import { expect, test } from 'vitest';
import { summaryOf } from './series.js';

test('the summary describes the chart in one sentence', () => {
  const at = (hour: number) => new Date(2026, 10, 21, hour).toISOString();
  const series = [
    { at: at(13), done: 2, failed: 0 },
    { at: at(14), done: 5, failed: 1 },
  ];

  expect(summaryOf(series, '24 h')).toBe('7 jobs done and 1 failed attempt in 24 h; busiest at 14:00.');
  expect(summaryOf([], '1 h')).toBe('No job finished in 1 h.');
});
