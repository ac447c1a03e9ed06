import type { OrgId } from '@jobline/contracts';
import type { Occupancy } from '@jobline/db/job-transitions';
import { expect, it } from 'vitest';
import { decideShares } from './over-share.js';

const running = (org: string, slow: number, fast = 0): Occupancy => ({
  queue: 'io',
  orgId: org as OrgId,
  slow,
  running: slow + fast,
});

const overOf = (occupancies: readonly Occupancy[], slots: number) => [...decideShares(occupancies, slots).over];

it('fast jobs never count towards the share of an organization, however many slots they use', () => {
  expect(overOf([running('a', 0, 200), running('b', 0, 1)], 200)).toEqual([]);
});

it('an organization is over its share when its slow jobs use more than half of the slots', () => {
  expect(overOf([running('a', 100)], 200)).toEqual([]);
  expect(overOf([running('a', 101), running('b', 0, 1)], 200)).toEqual(['a']);
});

it('an organization over its share may use all free slots while no other organization runs anything', () => {
  expect(decideShares([running('a', 150, 10)], 200).mayFill).toBe(true);
  expect(decideShares([running('a', 150, 10), running('b', 0, 1)], 200).mayFill).toBe(false);
});

it('three organizations with slow jobs leave a quarter of the slots to the next one', () => {
  expect(overOf([running('a', 66), running('b', 66), running('c', 40), running('d', 0, 2)], 200)).toEqual(['a', 'b']);
});
