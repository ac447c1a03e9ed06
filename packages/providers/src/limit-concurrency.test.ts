import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSlots } from './limit-concurrency.js';

const never = new AbortController().signal;

/** A work that says when it began and ends when it is told to. */
function work(name: string, begun: string[]) {
  let end: (error?: Error) => void = () => undefined;
  const done = new Promise<string>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve(name));
  });
  const run = () => {
    begun.push(name);
    return done;
  };
  return { run, end: (error?: Error) => end(error) };
}

test('as many works run as there are slots, and the others in the order in which they came', async () => {
  const inSlot = createSlots(2);
  const begun: string[] = [];
  const works = ['a', 'b', 'c', 'd'].map((name) => work(name, begun));
  const [a, b, c, d] = works;
  const ends = works.map(({ run }) => inSlot(never, run));

  await turn();
  expect(begun).toEqual(['a', 'b']);
  b?.end();
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const one of [a, c, d]) one?.end();
  expect(await Promise.all(ends)).toEqual(['a', 'b', 'c', 'd']);
});

test('a work that fails gives its slot back', async () => {
  const inSlot = createSlots(1);

  await expect(inSlot(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inSlot(never, async () => 'next')).toBe('next');
});

test('a work whose signal fires while it waits is never begun, and holds up nobody', async () => {
  const inSlot = createSlots(1);
  const begun: string[] = [];
  const [first, waiting, last] = ['first', 'waiting', 'last'].map((name) => work(name, begun));
  const stopping = new AbortController();
  const firstEnd = inSlot(never, () => first?.run() ?? Promise.reject(new Error('no work')));
  const waitingEnd = expect(inSlot(stopping.signal, () => waiting?.run() ?? Promise.resolve(''))).rejects.toThrow(
    'stop',
  );
  const lastEnd = inSlot(never, () => last?.run() ?? Promise.reject(new Error('no work')));

  // Its turn comes in the same moment.
  first?.end();
  stopping.abort(new Error('stop'));
  last?.end();

  await waitingEnd;
  expect([await firstEnd, await lastEnd]).toEqual(['first', 'last']);
  expect(begun).toEqual(['first', 'last']);
});
