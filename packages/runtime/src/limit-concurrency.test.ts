import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limitConcurrency, type QueueLimit } from './limit-concurrency.js';

/** A limiter, the names of the works that it has started, and a way to end them. */
function limiterOf(count: number, queueLimit?: QueueLimit) {
  const limit = limitConcurrency(count, queueLimit);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal?: AbortSignal) =>
    limit(() => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    }, signal);
  return { started, run, end: (name: string) => ends.get(name)?.() };
}

it('no more works run at the same time than allowed, and they start in the order of the calls', async () => {
  const { started, run, end } = limiterOf(2);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => run(name)));
  await turn();
  expect(started).toEqual(['a', 'b']);

  end('b');
  await turn();
  expect(started).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c']) end(name);
  await turn();
  end('d');

  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

it('a work that fails frees its slot', async () => {
  const limit = limitConcurrency(1);

  await expect(limit(() => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails');

  expect(await limit(async () => 'next')).toBe('next');
});

it('a call is rejected while the queue is full', async () => {
  const { run, end } = limiterOf(1, { length: 1, error: () => new Error('too many wait') });
  const first = run('a');
  const second = run('b');

  await expect(run('c')).rejects.toThrow('too many wait');
  end('a');
  await first;
  await turn();
  end('b');
  expect(await second).toBe('b');
});

it('a work whose signal fires while it waits never starts, and the next one takes its turn', async () => {
  const { started, run, end } = limiterOf(1);
  const controller = new AbortController();
  const first = run('a');
  const canceled = run('b', controller.signal);
  const last = run('c');

  controller.abort(new Error('no longer needed'));
  await expect(canceled).rejects.toThrow('no longer needed');
  await expect(run('d', controller.signal)).rejects.toThrow('no longer needed');
  end('a');
  await first;
  await turn();
  end('c');
  await last;

  expect(started).toEqual(['a', 'c']);
});
