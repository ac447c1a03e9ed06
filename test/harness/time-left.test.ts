import { expect, test } from 'vitest';
import { createTimeLeft } from './time-left.js';

const DURATIONS = { 'a.test.ts': 60, 'b.test.ts': 30, 'c.test.ts': 30 };
const start = () => createTimeLeft(Object.keys(DURATIONS), { durations: DURATIONS, workers: 2, startedAt: 0 });

test('the time that is left of a run is that of its files, shared by the workers', () => {
  expect(start().estimate(0)).toBe(60_000);
});

test('the time that is left grows if the files take longer than in the recorded run', () => {
  const timeLeft = start();
  timeLeft.start('b.test.ts', 0);
  timeLeft.start('c.test.ts', 0);
  timeLeft.end('b.test.ts');
  timeLeft.end('c.test.ts');

  // Half of the work is done.
  expect(timeLeft.estimate(30_000)).toBeCloseTo(30_000, -1);
  expect(timeLeft.estimate(120_000)).toBeGreaterThan(60_000);
});

test('the time that is left is at least that of the longest running file, and never negative', () => {
  const timeLeft = start();
  timeLeft.end('b.test.ts');
  timeLeft.end('c.test.ts');
  timeLeft.start('a.test.ts', 30_000);

  expect(timeLeft.estimate(30_000)).toBe(60_000);
  expect(timeLeft.estimate(300_000)).toBe(0);
});
