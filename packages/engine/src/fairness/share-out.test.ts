import type { OrgId } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { shareOut } from './share-out.js';

// The casts: only their identity counts.
const [a, b, c] = ['a', 'b', 'c'] as OrgId[] as [OrgId, OrgId, OrgId];
const slots = (all: number, smallest = all) => ({ all, smallest, byType: new Map<string, number>() });
const demand = {
  orgs: [a, b],
  lastOrg: null,
  share: 90,
  ticketsOf: () => 0,
  loads: [],
  slots: slots(200),
  few: { ofOrg: 5, ofAll: 5 },
};
const briefly = (tickets: ReturnType<typeof shareOut>) =>
  tickets.map(({ orgId, share, isLowPriority }) => `${orgId} ${share}${isLowPriority ? '' : ' normal'}`);

test('each organization gets a ticket for its share', () => {
  expect(briefly(shareOut(demand))).toEqual(['a 90', 'b 90']);
});

test('a ticket starts few jobs for each slot of its share if others wait, and thousands if none does', () => {
  expect(shareOut(demand).map(({ count }) => count)).toEqual([900, 900]);
  expect(shareOut({ ...demand, orgs: [a] }).map(({ count }) => count)).toEqual([10_000]);
});

test('with several workers there is a ticket for each, with its part of the share', () => {
  expect(briefly(shareOut({ ...demand, slots: slots(400, 200) }))).toEqual(['a 45', 'b 45', 'a 45', 'b 45']);
});

test('a share that is smaller than the number of workers gives as few tickets', () => {
  expect(briefly(shareOut({ ...demand, orgs: [a], share: 2, slots: slots(40, 10) }))).toEqual(['a 1', 'a 1']);
});

test('an organization gets no further ticket while it has its tickets', () => {
  expect(briefly(shareOut({ ...demand, ticketsOf: (org) => (org === a ? 1 : 0) }))).toEqual(['b 90']);
});

test('the organization after the last one comes first', () => {
  expect(briefly(shareOut({ ...demand, orgs: [a, b, c], lastOrg: a }))).toEqual(['b 90', 'c 90', 'a 90']);
});

test('while the other slots are in use, organizations that run few jobs get reserved ones first', () => {
  const loads = [
    { orgId: a, running: 180, slow: 180, dispatched: 0 },
    { orgId: b, running: 2, slow: 0, dispatched: 0 },
  ];

  expect(briefly(shareOut({ ...demand, loads }))).toEqual(['b 3 normal', 'a 90', 'b 90']);
});

test('without workers there are no tickets', () => {
  expect(shareOut({ ...demand, slots: slots(0) })).toEqual([]);
});
