import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.js';

function queueOf(entries: readonly (readonly [string, string])[]) {
  const queue = createFairQueue<string>();
  for (const [owner, item] of entries) queue.push(owner, item);
  return queue;
}

function drain(queue: { shift(): string | undefined }): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

it('owners take turns, and the entries of one owner keep their order', () => {
  const queue = queueOf([
    ['a', 'a1'],
    ['a', 'a2'],
    ['a', 'a3'],
    ['b', 'b1'],
    ['c', 'c1'],
    ['b', 'b2'],
  ]);

  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue.size).toBe(0);
});

it('a new owner is next after one entry of each earlier owner', () => {
  const queue = queueOf(Array.from({ length: 100 }, (_, n) => ['a', `a${n}`] as const));
  queue.shift();
  queue.push('b', 'b0');

  expect([queue.shift(), queue.shift()]).toEqual(['a1', 'b0']);
});

it('an entry that was removed is skipped', () => {
  const queue = queueOf([
    ['a', 'a1'],
    ['b', 'b1'],
  ]);

  queue.remove('a', 'a1');
  queue.remove('a', 'a1');
  queue.remove('b', 'another');

  expect([queue.size, queue.peek(), ...drain(queue)]).toEqual([1, 'b1', 'b1']);
});

it('an owner that may not have its turn keeps it', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'b1']) queue.push(item.charAt(0), item);
  const isOfOther = (item: string) => !item.startsWith('a');

  expect(queue.peek(isOfOther)).toBe('b1');
  expect(queue.shift(isOfOther)).toBe('b1');
  expect(queue.shift(isOfOther)).toBeUndefined();
  expect(queue.sizeOf('a')).toBe(2);
  expect([queue.shift(), queue.shift(), queue.size]).toEqual(['a1', 'a2', 0]);
});
