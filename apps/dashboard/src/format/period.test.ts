import { expect, test } from 'vitest';
import { periodOf } from './period.js';

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
