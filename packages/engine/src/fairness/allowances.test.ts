import type { OrgId } from '@jobline/contracts';
import type { Load, Occupancy } from '@jobline/db/job-transitions';
import { beforeEach, expect, it } from 'vitest';
import { type Allowances, createAllowances, orgsOverShare } from './allowances.js';

// The cast: only their identity counts.
const [a, b, c] = ['a', 'b', 'c'] as OrgId[] as [OrgId, OrgId, OrgId];
const load = (orgId: OrgId, running: number, of: Partial<Load> = {}): Load => ({
  ...{ orgId, running, slow: 0, dispatched: 0 },
  ...of,
});

let allowances: Allowances;
beforeEach(() => {
  allowances = createAllowances();
});

it('waiting organizations get equal shares of the slots at first', () => {
  allowances.update({ loads: [], waitingOrgs: [a, b, c], slots: 180 });

  expect([a, b, c].map(allowances.of)).toEqual([60, 60, 60]);
});

it('an organization that is alone gets all slots and as many jobs in Redis, also while its jobs are slow', () => {
  allowances.update({ loads: [load(a, 100, { slow: 100 })], waitingOrgs: [a], slots: 180 });

  expect(allowances.of(a)).toBe(2 * 180 - 100);
});

it('slow jobs of an organization never use more than its share of all slots', () => {
  allowances.update({
    loads: [load(a, 50, { slow: 50, dispatched: 10 }), load(b, 20, { slow: 20 })],
    waitingOrgs: [a, b],
    slots: 180,
  });

  expect([allowances.of(a), allowances.of(b)]).toEqual([90 - 60, 90 - 20]);
});

it('organizations without slow jobs get one part together with those that have slow ones', () => {
  const slow = [load(a, 50, { slow: 50 }), load(b, 20, { slow: 20 })];
  allowances.update({ loads: [...slow, load(c, 5)], waitingOrgs: [a, b], slots: 180 });

  expect([allowances.of(a), allowances.of(b), allowances.of(c)]).toEqual([10, 40, 55]);
});

it('jobs that were added are counted until the next measurement', () => {
  allowances.update({ loads: [], waitingOrgs: [a, b], slots: 180 });
  allowances.use(a, 70);
  expect(allowances.of(a)).toBe(20);

  allowances.update({ loads: [load(a, 20, { dispatched: 50 })], waitingOrgs: [a, b], slots: 180 });
  expect(allowances.of(a)).toBe(90 - 70);
});

it('the allowance of jobs that end at once doubles with every measurement', () => {
  const measured = { loads: [], waitingOrgs: [a, b], slots: 180 };
  allowances.update(measured);
  const seen = [90, 1, 2, 3].map(() => {
    const allowed = allowances.of(a);
    allowances.use(a, allowed);
    allowances.update(measured);
    return allowed;
  });

  expect(seen).toEqual([90, 90 + 180, 90 + 540, 90 + 1_260]);
});

it('slow jobs that end make capacity for as many others, and no more', () => {
  allowances.update({ loads: [load(a, 90, { slow: 90 })], waitingOrgs: [a, b], slots: 180 });
  allowances.update({ loads: [load(a, 50, { slow: 50 })], waitingOrgs: [a, b], slots: 180 });
  expect(allowances.of(a)).toBe(40);

  allowances.use(a, 40);
  allowances.update({ loads: [load(a, 80, { slow: 50, dispatched: 10 })], waitingOrgs: [a, b], slots: 180 });
  expect(allowances.of(a)).toBe(0);
});

it('jobs that take longer than one measurement, but are not slow, are replaced in advance', () => {
  allowances.update({ loads: [load(b, 1), load(a, 90)], waitingOrgs: [a, b], slots: 180 });
  expect(allowances.of(a)).toBe(0);

  allowances.update({ loads: [load(b, 1), load(a, 50)], waitingOrgs: [a, b], slots: 180 });
  expect(allowances.of(a)).toBe(40 + 40);
  allowances.use(a, 80);

  allowances.update({ loads: [load(b, 1), load(a, 90, { dispatched: 30 })], waitingOrgs: [a, b], slots: 180 });
  expect(allowances.of(a)).toBe(0);
  allowances.update({ loads: [load(b, 1), load(a, 90)], waitingOrgs: [a, b], slots: 180 });
  expect(allowances.of(a)).toBe(30);
});

it('more organizations than slots may each have one job', () => {
  const orgs = Array.from({ length: 10 }, (_, n) => `org ${n}` as OrgId); // the cast: as above
  allowances.update({ loads: [], waitingOrgs: orgs, slots: 4 });

  expect(orgs.map(allowances.of)).toEqual(orgs.map(() => 1));
});

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
