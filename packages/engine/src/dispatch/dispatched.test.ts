import type { JobKey } from '@jobline/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDispatchedEntries } from './dispatched.js';

let inRedis: Set<string>;
const present = async (entries: readonly { key: string }[]) => entries.map(({ key }) => inRedis.has(key));
const unlimited = () => Number.POSITIVE_INFINITY;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Makes entries that exist in Redis. */
function entries(type: string, count: number) {
  const made = Array.from({ length: count }, (_, n) => ({
    key: `${type} ${n}` as JobKey, // The cast: only the identity matters.
    queue: 'io',
    seq: 1,
    type,
  }));
  for (const { key } of made) inRedis.add(key);
  return made;
}

it('a job whose entry has left Redis is dispatched again after five seconds', async () => {
  inRedis = new Set();
  const dispatched = createDispatchedEntries({ present });
  dispatched.remember(entries('light', 3));
  inRedis.delete('light 1');

  vi.advanceTimersByTime(4_999);
  await dispatched.check(100, unlimited);
  expect(dispatched.keys()).toEqual(['light 0', 'light 1', 'light 2']);

  vi.advanceTimersByTime(1);
  await dispatched.check(100, unlimited);
  expect(dispatched.keys()).toEqual(['light 0', 'light 2']);
});

it('a type that not all workers handle gets no more entries than its limit until some have left', async () => {
  inRedis = new Set();
  const limitOf = (type: string) => (type === 'rare' ? 2 : Number.POSITIVE_INFINITY);
  const dispatched = createDispatchedEntries({ present });
  const rare = entries('rare', 5);

  const first = dispatched.within([...rare, ...entries('light', 5)], limitOf);
  dispatched.remember(first);
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
