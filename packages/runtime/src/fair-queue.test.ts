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

it('a paused owner gets no turn and keeps its entries, also those that it adds meanwhile', () => {
  const queue = queueOf([
    ['a', 'a1'],
    ['b', 'b1'],
  ]);
  queue.pause('a');
  queue.push('a', 'a2');
  queue.push('a', 'a3');
  queue.remove('a', 'a2');

  expect([queue.isPaused('a'), queue.isPaused('b'), queue.sizeOf('a')]).toEqual([true, false, 2]);
  expect([queue.peek(), ...drain(queue)]).toEqual(['b1', 'b1']);

  queue.push('b', 'b2');
  queue.resume('a');
  expect([queue.isPaused('a'), ...drain(queue), queue.size]).toEqual([false, 'b2', 'a1', 'a3', 0]);
});

it('an owner that is paused without entries stays paused', () => {
  const queue = createFairQueue<string>();
  queue.pause('a');
  queue.push('a', 'a1');
  expect(queue.peek()).toBeUndefined();

  queue.resume('a');
  expect(queue.shift()).toBe('a1');
});
