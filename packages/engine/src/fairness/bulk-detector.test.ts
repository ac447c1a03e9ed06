import type { OrgId } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { createBulkDetector } from './window.js';

// The cast: any text can be an id here.
const [one, other] = ['one', 'other'] as OrgId[] as [OrgId, OrgId];

test('more than twenty jobs in a second count as a bulk submission, for five seconds after the last excess job', () => {
  let now = 0;
  const isBulk = createBulkDetector(() => now);
  const times = (count: number) => Array.from({ length: count }, () => isBulk('io', one));

  expect(times(20)).toEqual(Array(20).fill(false));
  expect(times(1)).toEqual([true]);
  now = 5_999;
  expect([isBulk('cpu', one), isBulk('io', other)]).toEqual([false, false]);
  now = 4_999;
  expect(times(1)).toEqual([true]);
  now = 5_000;
  expect(times(19)).toEqual(Array(19).fill(false));
});

test('twenty jobs per second never count as a bulk submission', () => {
  let now = 0;
  const isBulk = createBulkDetector(() => now);

  for (let n = 0; n < 1_000; n++, now += 50) expect(isBulk('io', one)).toBe(false);
});

test('the bulk detector remembers a limited number of organizations', () => {
  const isBulk = createBulkDetector(() => 0);
  for (let n = 0; n < 30_000; n++) isBulk('io', `org ${n}` as OrgId);

  expect(isBulk('io', one)).toBe(false);
});
