import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitConcurrency, limitConcurrencyPerKey } from './limit-concurrency.js';

const never = new AbortController().signal;

/** A task that records its start and ends when the test calls `end`. */
function createTask(name: string, started: string[]) {
  let end: (error?: Error) => void = () => undefined;
  const done = new Promise<string>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve(name));
  });
  const run = () => {
    started.push(name);
    return done;
  };
  return { run, end: (error?: Error) => end(error) };
}

test('a concurrency limit runs tasks in the order in which they came, as many at a time as it has slots', async () => {
  const limit = limitConcurrency(2);
  const started: string[] = [];
  const tasks = ['a', 'b', 'c', 'd'].map((name) => createTask(name, started));
  const [a, b, c, d] = tasks;
  const results = tasks.map(({ run }) => limit(never, run));

  await nextTurn();
  expect(started).toEqual(['a', 'b']);
  b?.end();
  await nextTurn();
  expect(started).toEqual(['a', 'b', 'c']);
  for (const task of [a, c, d]) task?.end();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
});

test('a task that fails releases its slot', async () => {
  const limit = limitConcurrency(1);

  await expect(limit(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limit(never, async () => 'next')).toBe('next');
});

test('a task that is aborted while it waits never starts and blocks no other task', async () => {
  const limit = limitConcurrency(1);
  const started: string[] = [];
  const [first, waiting, last] = ['first', 'waiting', 'last'].map((name) => createTask(name, started));
  const stopping = new AbortController();
  const firstEnd = limit(never, () => first?.run() ?? Promise.reject(new Error('no task')));
  const waitingEnd = expect(limit(stopping.signal, () => waiting?.run() ?? Promise.resolve(''))).rejects.toThrow(
    'stop',
  );
  const lastEnd = limit(never, () => last?.run() ?? Promise.reject(new Error('no task')));

  // The waiting task gets the slot and is aborted in the same moment.
  first?.end();
  stopping.abort(new Error('stop'));
  last?.end();

  await waitingEnd;
  expect([await firstEnd, await lastEnd]).toEqual(['first', 'last']);
  expect(started).toEqual(['first', 'last']);
});

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
