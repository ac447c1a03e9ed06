import type { JobKey, OrgId } from '@jobline/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDispatchedEntries, type DispatchedEntries, type DispatchedJob } from './dispatched.js';

// The cast: ids are branded only in our code.
const ORG = 'org' as OrgId;
let inRedis: Set<string>;
let inLists: Set<string>;
let dropped: string[];
let dispatched: DispatchedEntries;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  inRedis = new Set();
  inLists = new Set();
  dropped = [];
  dispatched = createDispatchedEntries({
    present: async (entries) => entries.map(({ id }) => inRedis.has(id)),
    listed: async (entries) => entries.map(({ id }) => inLists.has(id)),
    drop: ({ id }) => void dropped.push(id),
  });
});
afterEach(() => void vi.useRealTimers());

/** Adds an entry for each job, under the key of the job. */
function remember(type: string, count: number): void {
  for (let n = 0; n < count; n++) {
    const key = `${type} ${n}` as JobKey; // The cast: only the identity matters.
    addEntry(key, { key, type });
  }
}

function addEntry(id: string, job: DispatchedJob | null): void {
  inRedis.add(id);
  inLists.add(id);
  dispatched.remember({ queue: 'io', id }, { orgId: ORG, job });
}

const keys = () => dispatched.jobs().map(({ key }) => key);

it('a held job whose entry has left Redis may be listed again', async () => {
  remember('light', 3);
  inRedis.delete('light 1');

  vi.advanceTimersByTime(99);
  await dispatched.check();
  expect(keys()).toEqual(['light 0', 'light 1', 'light 2']);

  vi.advanceTimersByTime(1);
  await dispatched.check();
  expect(keys()).toEqual(['light 0', 'light 2']);
});

it('a ticket counts until it has left Redis', async () => {
  addEntry('first', null);
  addEntry('second', null);
  expect(dispatched.ticketsOf(ORG)).toBe(2);

  inRedis.delete('first');
  vi.advanceTimersByTime(10);
  await dispatched.check();
  expect(dispatched.ticketsOf(ORG)).toBe(1);
});

it('a type that not all workers handle gets no more entries than its limit', () => {
  remember('rare', 1);
  const limitOf = (type: string) => (type === 'rare' ? 2 : Number.POSITIVE_INFINITY);
  const capacity = dispatched.capacity({ ofAll: 10, ofSmall: 10 }, () => 10, limitOf);
  const rare = { orgId: ORG, type: 'rare' };

  expect(capacity.capacityOf(rare, false)).toBe(1);
  capacity.take(rare);
  expect([capacity.capacityOf(rare, false), capacity.capacityOf({ ...rare, type: 'light' }, false)]).toEqual([0, 9]);
});

it('an entry whose list Redis has evicted is removed after a minute', async () => {
  remember('first', 1);
  vi.advanceTimersByTime(5_000);
  remember('light', 2);
  inLists.delete('light 0');

  vi.advanceTimersByTime(59_999);
  await dispatched.check();
  expect(dropped).toEqual([]);

  vi.advanceTimersByTime(1);
  await dispatched.check();
  expect(dropped).toEqual(['light 0']);
  expect(keys()).toEqual(['first 0', 'light 1']);
});

it('the first entries of a dispatcher are removed at once if an earlier dispatcher added them to an evicted list', async () => {
  remember('light', 2);
  inLists.delete('light 0');

  await dispatched.check();

  expect(dropped).toEqual(['light 0']);
  expect(keys()).toEqual(['light 1']);
});
