import type { JobKey, OrgId } from '@jobline/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDispatchedEntries, type DispatchedEntries, type DispatchedJob } from './dispatched.js';

// The cast: ids are branded only in our code.
const ORG = 'org' as OrgId;
let inRedis: Set<string>;
let inLists: Set<string>;
let dropped: string[];
const unlimited = () => Number.POSITIVE_INFINITY;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  inRedis = new Set();
  inLists = new Set();
  dropped = [];
});
afterEach(() => void vi.useRealTimers());

function create() {
  return createDispatchedEntries({
    present: async (entries) => entries.map(({ id }) => inRedis.has(id)),
    listed: async (entries) => entries.map(({ id }) => inLists.has(id)),
    drop: ({ id }) => void dropped.push(id),
  });
}

function jobs(type: string, count: number) {
  // The cast: only the identity matters.
  return Array.from({ length: count }, (_, n) => ({ key: `${type} ${n}` as JobKey, orgId: ORG, type, seq: 1 }));
}

function keysOf(some: readonly DispatchedJob[]): JobKey[] {
  return some.map(({ key }) => key);
}

/** Adds an entry for each job, under the key of the job. */
function remember(dispatched: DispatchedEntries, some: readonly DispatchedJob[]): void {
  for (const job of some) {
    inRedis.add(job.key);
    inLists.add(job.key);
    dispatched.remember({ queue: 'io', id: job.key }, [job]);
  }
}

it('a job whose entry has left Redis is dispatched again after five seconds', async () => {
  const dispatched = create();
  remember(dispatched, jobs('light', 3));
  inRedis.delete('light 1');

  vi.advanceTimersByTime(4_999);
  await dispatched.check(100, unlimited);
  expect(keysOf(dispatched.entries())).toEqual(['light 0', 'light 1', 'light 2']);

  vi.advanceTimersByTime(1);
  await dispatched.check(100, unlimited);
  expect(keysOf(dispatched.entries())).toEqual(['light 0', 'light 2']);
});

it('a type that not all workers handle gets no more entries than its limit until some have left', async () => {
  const limitOf = (type: string) => (type === 'rare' ? 2 : Number.POSITIVE_INFINITY);
  const dispatched = create();
  const rare = jobs('rare', 5);

  const first = dispatched.within([...rare, ...jobs('light', 5)], limitOf);
  remember(dispatched, first);
  expect(first.map(({ key }) => key)).toEqual([
    'rare 0',
    'rare 1',
    'light 0',
    'light 1',
    'light 2',
    'light 3',
    'light 4',
  ]);
  expect(dispatched.fullTypes(limitOf)).toEqual(['rare']);

  // Entries that a worker without the handler has delayed are in no count of waiting entries.
  await dispatched.check(0, limitOf);
  expect(dispatched.fullTypes(limitOf)).toEqual(['rare']);

  inRedis.delete('rare 0');
  vi.advanceTimersByTime(100);
  await dispatched.check(0, limitOf);
  expect(dispatched.fullTypes(limitOf)).toEqual([]);
  expect(dispatched.within(rare.slice(2), limitOf).map(({ key }) => key)).toEqual(['rare 2']);
});

it('the jobs of a chunk are dispatched again when its entry has left Redis', async () => {
  const dispatched = create();
  inRedis.add('chunk');
  inLists.add('chunk');
  dispatched.remember({ queue: 'io', id: 'chunk' }, jobs('light', 3));

  vi.advanceTimersByTime(5_000);
  await dispatched.check(100, unlimited);
  expect(keysOf(dispatched.entries())).toHaveLength(3);

  inRedis.delete('chunk');
  vi.advanceTimersByTime(5_000);
  await dispatched.check(100, unlimited);
  expect(keysOf(dispatched.entries())).toEqual([]);
});

it('an entry whose list Redis has evicted is removed after a minute, and its job is dispatched again', async () => {
  const dispatched = create();
  remember(dispatched, jobs('first', 1));
  vi.advanceTimersByTime(5_000);
  remember(dispatched, jobs('light', 2));
  inLists.delete('light 0');

  vi.advanceTimersByTime(59_999);
  await dispatched.check(100, unlimited);
  expect(dropped).toEqual([]);

  vi.advanceTimersByTime(1);
  await dispatched.check(100, unlimited);
  expect(dropped).toEqual(['light 0']);
  expect(keysOf(dispatched.entries())).toEqual(['first 0', 'light 1']);
});

it('the first entries of a dispatcher are removed at once if an earlier dispatcher added them to an evicted list', async () => {
  const dispatched = create();
  remember(dispatched, jobs('light', 2));
  inLists.delete('light 0');

  await dispatched.check(100, unlimited);

  expect(dropped).toEqual(['light 0']);
  expect(keysOf(dispatched.entries())).toEqual(['light 1']);
});

it('a job whose entry has low priority has no normal key until an entry with normal priority is added', () => {
  const dispatched = create();
  const [job] = jobs('light', 1);
  if (!job) throw new Error('There is one job');
  dispatched.remember({ queue: 'io', id: 'low', isLowPriority: true }, [job]);
  expect(keysOf(dispatched.normalEntries())).toEqual([]);

  dispatched.remember({ queue: 'io', id: 'normal', isLowPriority: false }, [job]);
  expect(keysOf(dispatched.normalEntries())).toEqual([job.key]);
});

it('the jobs that were added last are remembered, as many as the queue contains', async () => {
  const dispatched = create();
  const added = jobs('light', 6);
  remember(dispatched, added);

  await dispatched.check(3, unlimited);

  expect(keysOf(dispatched.entries())).toEqual(keysOf(added.slice(3)));
});

it('an organization that runs few jobs has capacity when the others have none, until it is used', () => {
  const job = { orgId: ORG, type: 'a' };
  const { capacityOf, take } = create().capacity({ ofAll: -3, ofSmall: 1 }, unlimited, unlimited);

  expect([capacityOf(job, false), capacityOf(job, true)]).toEqual([-3, 1]);
  take(job);
  expect(capacityOf(job, true)).toBe(0);
});
