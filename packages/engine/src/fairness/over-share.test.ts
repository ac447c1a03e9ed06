import type { OrgId } from '@jobline/contracts';
import type { Occupancy } from '@jobline/db/job-transitions';
import { expect, it } from 'vitest';
import { orgsOverShare } from './allowances.js';

const running = (org: string, slow: number, fast = 0): Occupancy => ({
  queue: 'io',
  orgId: org as OrgId,
  slow,
  running: slow + fast,
});

const overOf = (occupancies: readonly Occupancy[], slots: number) => [...orgsOverShare(occupancies, slots)];

it('fast jobs never count towards the share of an organization, however many slots they use', () => {
  expect(overOf([running('a', 0, 200), running('b', 0, 1)], 200)).toEqual([]);
});

it('an organization is over its share when its slow jobs use more than half of the slots', () => {
  expect(overOf([running('a', 100)], 200)).toEqual([]);
  expect(overOf([running('a', 101), running('b', 0, 1)], 200)).toEqual(['a']);
});

it('three organizations with slow jobs leave a quarter of the slots to the next one', () => {
  expect(overOf([running('a', 66), running('b', 66), running('c', 40), running('d', 0, 2)], 200)).toEqual(['a', 'b']);
});
