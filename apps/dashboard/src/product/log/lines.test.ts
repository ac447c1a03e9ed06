import type { LogLevel } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { attemptsOf, type LogLine, linesFrom, lineTime, logText, newDate, newLinesSentence } from './lines.js';

const line = (attempt: number, level: LogLevel = 'info', message = 'm'): LogLine => ({
  attempt,
  level,
  message,
  timestamp: '2026-11-21T14:02:11.204Z',
});

test('lines are grouped by attempt, also if a line arrives late', () => {
  const attempts = attemptsOf([line(1), line(2), line(1)]);

  expect(attempts.map(({ number, lines }) => [number, lines.length])).toEqual([
    [1, 2],
    [2, 1],
  ]);
});

test('a level filter includes the levels above it', () => {
  const all = (['debug', 'info', 'warn', 'error'] as const).map((level) => line(1, level));

  expect(linesFrom(all, 'warn').map(({ level }) => level)).toEqual(['warn', 'error']);
  expect(linesFrom(all, 'all')).toHaveLength(4);
});

test('the announcement counts lines and errors', () => {
  expect(newLinesSentence([])).toBe('');
  expect(newLinesSentence([line(1)])).toBe('1 new line');
  expect(newLinesSentence([line(1), line(1, 'error')])).toBe('2 new lines, 1 error');
});

test('a copied line has its time, level, attempt and message', () => {
  expect(logText([line(2, 'warn', 'slow')])).toBe('2026-11-21T14:02:11.204Z WARN #2 slow');
});

test('the date is shown before the first line of each day, if times are shown', () => {
  const times = ['2026-11-21T14:02:11.204Z', '2026-11-21T23:59:59.999Z', '2026-11-22T00:00:00.000Z'];
  const lines = times.map((timestamp) => ({ ...line(1), timestamp }));

  expect(lines.map((_, index) => newDate(lines, index, 'utc'))).toEqual(['21 Nov 2026', undefined, '22 Nov 2026']);
  expect(newDate(lines, 0, 'elapsed')).toBeUndefined();
});

test('elapsed time counts from the start of the attempt', () => {
  expect(lineTime('2026-11-21T14:02:12.210Z', 'elapsed', '2026-11-21T14:02:11.204Z')).toBe('+1.006');
  expect(lineTime('2026-11-21T14:05:12.210Z', 'elapsed', '2026-11-21T14:02:11.204Z')).toBe('+3 min');
  expect(lineTime('2026-11-21T14:02:12.210Z', 'utc', '')).toBe('14:02:12.210');
});
