import type { OrgId } from '@jobline/contracts';
import { expect, it } from 'vitest';
import { createCarefulTurns, divideSlots } from './receivers.js';

// The cast: the tests need no real ids.
const [a, b, late] = ['a', 'b', 'late'] as OrgId[] as [OrgId, OrgId, OrgId];
const delivery = (orgId: OrgId) => ({ orgId, type: 'event', limitName: '', limitKey: 'receiver', priority: 0 });

/** Two slots: `counts` says who has them. */
const round = (turns: ReturnType<typeof createCarefulTurns>, nowMs: number, counts: [OrgId, number][]) =>
  divideSlots({ isCareful: () => true, counts: new Map(counts), slots: 4, turns, nowMs });

it('a slot that becomes free is for the organization that has waited longest, whose lanes are looked at later', () => {
  const turns = createCarefulTurns();
  expect(
    round(turns, 0, [
      [a, 1],
      [b, 1],
      [late, 0],
    ]).capacityOf(delivery(late)),
  ).toBeLessThanOrEqual(0);

  // A delivery of `a` has ended, and it has others.
  const next = round(turns, 500, [
    [a, 0],
    [b, 1],
    [late, 0],
  ]);

  expect(next.capacityOf(delivery(a))).toBeLessThanOrEqual(0);
  expect(next.capacityOf(delivery(late))).toBe(1);
  next.take(delivery(late));
  expect(next.capacityOf(delivery(late))).toBeLessThanOrEqual(0);
  // Its turn is next.
  const last = round(turns, 1_000, [
    [a, 0],
    [b, 0],
    [late, 1],
  ]);
  expect(last.capacityOf(delivery(b))).toBeLessThanOrEqual(0);
  expect(last.capacityOf(delivery(a))).toBe(1);
});

it('an organization that no longer waits keeps no slot free', () => {
  const turns = createCarefulTurns();
  round(turns, 0, [
    [a, 1],
    [b, 1],
    [late, 0],
  ]).capacityOf(delivery(late));

  expect(
    round(turns, 10_000, [
      [a, 0],
      [b, 1],
    ]).capacityOf(delivery(a)),
  ).toBe(1);
});
