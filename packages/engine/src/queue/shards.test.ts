import type { JobKey } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import { expect, it } from 'vitest';
import { queuePrefix } from './names.js';
import { hashTag, MAX_SHARDS, shardNames, shardOf, slotOf } from './shards.js';

const MASTERS = [2, 3, 4, 5, 6, 8];
const SLOTS = 16_384;
const newKey = () => newId() as JobKey; // The cast: job keys are made like this.

/** The number of the master that has a slot, if each has an equal share. */
const masterOf = (slot: number, masters: number) => Math.floor((slot * masters) / SLOTS);

it('a slot is computed as Redis computes it', () => {
  expect(slotOf('123456789')).toBe(0x31c3);
  expect(slotOf('foo')).toBe(12_182);
});

it('one shard has the name and the keys of its queue', () => {
  expect(shardNames('io', 1)).toEqual(['io']);
  expect(queuePrefix('jobline', 'io')).toBe('{jobline-io}');
  expect(shardOf(newKey(), 1)).toBe(0);
});

it.each([2, 3, 4, 16])('jobs are divided evenly among %i shards', (shards) => {
  const counts = Array.from({ length: shards }, () => 0);
  const count = 1_000 * shards;
  for (let n = 0; n < count; n++) {
    const shard = shardOf(newKey(), shards);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }

  expect(Math.min(...counts)).toBeGreaterThan(800);
  expect(Math.max(...counts)).toBeLessThan(1_200);
});

it.each(['io', 'cpu', 'browser', 'events'])(
  'twice as many shards of %s as masters leave no master without one',
  (queue) => {
    for (const masters of MASTERS) {
      const slots = shardNames(queue, 2 * masters).map((name) => slotOf(hashTag('jobline', name)));
      expect(new Set(slots.map((slot) => masterOf(slot, masters))).size).toBe(masters);
    }
  },
);

it('four shards cover three masters, whatever the prefix', () => {
  for (const prefix of ['a', 'jobline', 'jobline-2', 'x'.repeat(40)]) {
    const slots = shardNames('io', 4).map((name) => slotOf(hashTag(prefix, name)));
    expect(new Set(slots.map((slot) => masterOf(slot, 3))).size).toBe(3);
  }
});

it('every shard has its own tag, which other installations do not have', () => {
  const tags = ['jobline', 'jobline-io', 'jobline-io.1'].flatMap((prefix) =>
    shardNames('io', MAX_SHARDS).map((name) => hashTag(prefix, name)),
  );

  expect(new Set(tags).size).toBe(tags.length);
});
