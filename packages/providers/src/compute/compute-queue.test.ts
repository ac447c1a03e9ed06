import { RetryLater } from '@jobline/handlers/errors';
import { expect, test } from 'vitest';
import { createComputeQueue, type Waiting } from './compute-queue.js';

const LIMITS = { perOwner: 4, perPausedOwner: 2, total: 6, totalBytes: 100 };

function open() {
  const queue = createComputeQueue<Entry>(LIMITS);
  const add = (name: string, sizeBytes = 1) => {
    const entry = { owner: name.charAt(0), sizeBytes, name };
    queue.add(entry);
    return entry;
  };
  const takeAll = () => {
    const names: string[] = [];
    for (let entry = queue.take(); entry; entry = queue.take()) names.push(entry.name);
    return names;
  };
  return { queue, add, takeAll };
}

interface Entry extends Waiting {
  name: string;
}

test('each waiting key gets one turn before any key gets a second one', () => {
  const { add, takeAll } = open();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) add(name);

  expect(takeAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('the number of waiting tasks per key is limited, and other keys are not affected', () => {
  const { add, takeAll } = open();
  for (const name of ['a1', 'a2', 'a3', 'a4']) add(name);

  expect(() => add('a5')).toThrow(RetryLater);
  add('b1');
  expect(takeAll()).toHaveLength(5);
  add('a5');
});

test('the total number of waiting tasks is limited', () => {
  const { add } = open();
  for (const name of ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']) add(name);

  expect(() => add('d1')).toThrow(RetryLater);
});

test('the total size of waiting tasks is limited, except for a single task', () => {
  const { queue, add } = open();
  add('a1', 500);
  expect(() => add('b1')).toThrow(RetryLater);
  queue.take();
  add('a1', 60);
  const second = add('b1', 40);
  expect(() => add('c1')).toThrow(RetryLater);

  queue.remove(second);
  add('c1', 40);
});

test('a removed task gets no turn, and its key keeps its own', () => {
  const { queue, add, takeAll } = open();
  const first = add('a1');
  add('a2');
  add('b1');
  queue.remove(first);
  queue.remove(first);

  expect(takeAll()).toEqual(['a2', 'b1']);
});

test('a paused key gets no turn until it is resumed, and other keys do', () => {
  const { queue, add, takeAll } = open();
  queue.pause('a');
  for (const name of ['a1', 'a2', 'b1']) add(name);
  expect(() => add('a3')).toThrow(RetryLater);

  expect(takeAll()).toEqual(['b1']);
  expect(queue.take()).toBeUndefined();
  queue.resume('a');
  expect(takeAll()).toEqual(['a1', 'a2']);
});
