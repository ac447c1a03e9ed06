import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitConcurrencyPerKey } from './limit-concurrency-per-key.js';

const never = new AbortController().signal;

test('each key has its own slots and a bounded queue, and other keys do not wait for it', async () => {
  const limit = limitConcurrencyPerKey({ maxRunning: 2, maxWaiting: 1, queueFull: () => new Error('full') });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const task = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };

  const runs = ['a1', 'a2', 'a3'].map((name) => limit('a', never, task(name)));
  await expect(limit('a', never, task('a4'))).rejects.toThrow('full');
  runs.push(limit('b', never, task('b1')));
  await nextTurn();
  expect(started).toEqual(['a1', 'a2', 'b1']);

  ends[0]?.();
  await runs[0];
  await nextTurn();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  runs.push(limit('a', never, task('a5')));
  for (let n = 1; n < 5; n++) {
    ends[n]?.();
    await nextTurn();
  }
  await Promise.all(runs);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a5']);
});

test('a task of a key that is aborted while it waits never starts and frees its place in the queue', async () => {
  const limit = limitConcurrencyPerKey({ maxRunning: 1, maxWaiting: 1, queueFull: () => new Error('full') });
  const ends: (() => void)[] = [];
  const first = limit('a', never, () => new Promise<void>((resolve) => ends.push(resolve)));
  const stopping = new AbortController();
  const second = limit('a', stopping.signal, () => Promise.reject(new Error('it started')));

  stopping.abort(new Error('aborted'));

  await expect(second).rejects.toThrow('aborted');
  const third = limit('a', never, async () => 3);
  ends[0]?.();
  await first;
  expect(await third).toBe(3);
});
