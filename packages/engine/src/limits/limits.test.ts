import type { OrgId } from '@jobline/contracts';
import type { LimitedJob, LimitRule, RateState } from '@jobline/db';
import { expect, test } from 'vitest';
import { createLimits, isUnder, ORG_LIMIT, ratesOf } from './limits.js';

// The cast: the organization needs no row.
const orgId = 'acme' as OrgId;
const NOW = 1_000_000;

const rule = (more: Partial<LimitRule>): LimitRule => ({
  orgId,
  name: 'limit',
  types: ['mail'],
  concurrency: null,
  perSecond: null,
  burst: null,
  per: 'organization',
  ordered: false,
  paused: false,
  hold: null,
  version: '',
  ...more,
});
const job = (more: Partial<LimitedJob> = {}): LimitedJob => ({
  orgId,
  type: 'mail',
  limitName: '',
  limitKey: '',
  ...more,
});
const limitsOf = (rules: LimitRule[], more: Partial<Parameters<typeof createLimits>[0]> = {}) =>
  createLimits({ rules, running: [], rates: [], isCareful: () => false, nowMs: NOW, ...more });

test('a job is under the limits that list its type, the one that it names, and the bound of the operator', () => {
  expect(isUnder(rule({}), job())).toBe(true);
  expect(isUnder(rule({ types: [] }), job())).toBe(false);
  expect(isUnder(rule({ types: [] }), job({ limitName: 'limit' }))).toBe(true);
  expect(isUnder(rule({ name: ORG_LIMIT, types: [] }), job({ type: 'other' }))).toBe(true);
});

test('running jobs of every type under a limit use its concurrency, and those of other organizations do not', () => {
  const running = [
    { ...job(), running: 1 },
    { ...job({ type: 'other', limitName: 'limit' }), running: 1 },
    { ...job({ type: 'other' }), running: 9 },
    { ...job({ orgId: 'other' as OrgId }), running: 9 }, // the cast: as above
  ];
  expect(limitsOf([rule({ concurrency: 3 })], { running }).blockedBy(job())).toBeNull();
  expect(limitsOf([rule({ concurrency: 2 })], { running }).blockedBy(job())).toEqual({
    limit: 'limit',
    scope: 'organization',
    untilMs: null,
  });
});

test('each key has the whole bound, and jobs without a key count as one key', () => {
  const limits = limitsOf([rule({ per: 'key', concurrency: 1 })], {
    running: [{ ...job({ limitKey: 'a' }), running: 1 }],
  });
  expect(limits.blockedBy(job({ limitKey: 'a' }))).toMatchObject({ scope: 'key' });
  expect(limits.blockedBy(job({ limitKey: 'b' }))).toBeNull();
  limits.start(job());
  expect(limits.blockedBy(job())).toMatchObject({ limit: 'limit' });
  expect(limits.blocking()).toEqual([]);
});

test('a burst may start at once, then one at each interval', () => {
  const limits = limitsOf([rule({ perSecond: 4, burst: 2 })]);
  limits.start(job());
  expect(limits.blockedBy(job())).toBeNull();
  limits.start(job());
  expect(limits.blockedBy(job())).toEqual({ limit: 'limit', scope: 'organization', untilMs: NOW + 250 });
  expect(limits.blocking()).toEqual([{ limit: 'limit', scope: 'organization', untilMs: NOW + 250, orgId }]);
  expect(limits.changedRates()).toEqual([{ orgId, name: 'limit', limitKey: '', nextAtMs: NOW + 500 }]);
});

test('idle time saves up no more than the burst, and slow rates are exact', () => {
  const rules = [rule({ perSecond: 0.1 })];
  const limits = limitsOf(rules, { rates: [{ orgId, name: 'limit', limitKey: '', nextAtMs: NOW - 3_600_000 }] });
  limits.start(job());
  expect(limits.blockedBy(job())).toMatchObject({ untilMs: NOW + 10_000 });
});

test('a rate is used up for a burst at most, whatever time an earlier limit or a clock that was ahead has stored', () => {
  const rates = [{ orgId, name: 'limit', limitKey: '', nextAtMs: NOW + 86_400_000 }];
  const limits = limitsOf([rule({ perSecond: 4, burst: 2 })], { rates });
  expect(limits.blockedBy(job())).toMatchObject({ untilMs: NOW + 250 });
  limits.start(job());
  expect(limits.changedRates()).toMatchObject([{ nextAtMs: NOW + 750 }]);
});

test('whatever starts are tried, no window of t seconds has more than burst + rate × t starts', () => {
  let rates: RateState[] = [];
  const starts: number[] = [];
  for (let nowMs = NOW; nowMs < NOW + 5_000; nowMs += 7) {
    const limits = limitsOf([rule({ perSecond: 3.5, burst: 4 })], { rates, nowMs });
    while (limits.blockedBy(job()) === null) {
      limits.start(job());
      starts.push(nowMs);
    }
    const changed = limits.changedRates();
    if (changed.length > 0) rates = changed;
  }
  expect(starts.length).toBeGreaterThan(15);
  for (const [i, from] of starts.entries()) {
    for (const [n, to] of starts.slice(i).entries()) expect(n + 1).toBeLessThanOrEqual(4 + (3.5 * (to - from)) / 1_000);
  }
});

test('a job under several limits names the first that blocks it, and starts only if none does', () => {
  const rules = [
    rule({ name: 'b', paused: true }),
    rule({ name: 'a', concurrency: 1 }),
    rule({ name: 'c', concurrency: 9 }),
  ];
  const limits = limitsOf(rules, { running: [{ ...job(), running: 1 }] });
  expect(limits.rulesOf(job()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  expect(limits.blockedBy(job())?.limit).toBe('a');
  expect(limits.waitsFor(job())).toEqual(['a', 'b']);
});

test('a paused limit for each key blocks the whole organization', () => {
  expect(limitsOf([rule({ per: 'key', paused: true })]).blocking()).toMatchObject([{ limit: 'limit' }]);
});

test('the rates to read are those of the keys of some jobs', () => {
  const rules = [
    rule({ perSecond: 1 }),
    rule({ name: 'each', per: 'key', perSecond: 1 }),
    rule({ name: 'none', concurrency: 1 }),
  ];
  expect(ratesOf(rules, [job({ limitKey: 'a' }), job({ limitKey: 'a' })])).toEqual([
    { orgId, name: 'each', limitKey: 'a' },
  ]);
});
