import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSlotsPerKey } from './limit-concurrency-per-key.js';

const never = new AbortController().signal;

test('a key has so many slots and a bounded line, and other keys do not wait for it', async () => {
  const inSlot = createSlotsPerKey({ atOnce: 2, waiting: 1, full: () => new Error('full') });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };

  const works = ['a1', 'a2', 'a3'].map((name) => inSlot('a', never, work(name)));
  await expect(inSlot('a', never, work('a4'))).rejects.toThrow('full');
  works.push(inSlot('b', never, work('b1')));
  await setImmediate();
  expect(begun).toEqual(['a1', 'a2', 'b1']);

  ends[0]?.();
  await works[0];
  await setImmediate();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  works.push(inSlot('a', never, work('a5')));
  for (let n = 1; n < 5; n++) {
    ends[n]?.();
    await setImmediate();
  }
  await Promise.all(works);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a5']);
});

test('what is given up while it waits is never begun and leaves its place', async () => {
  const inSlot = createSlotsPerKey({ atOnce: 1, waiting: 1, full: () => new Error('full') });
  const ends: (() => void)[] = [];
  const first = inSlot('a', never, () => new Promise<void>((resolve) => ends.push(resolve)));
  const ending = new AbortController();
  const second = inSlot('a', ending.signal, () => Promise.reject(new Error('it was begun')));

  ending.abort(new Error('given up'));

  await expect(second).rejects.toThrow('given up');
  const third = inSlot('a', never, async () => 3);
  ends[0]?.();
  await first;
  expect(await third).toBe(3);
});
