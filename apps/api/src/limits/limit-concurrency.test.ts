import { expect, it } from 'vitest';
import { limitConcurrency, type QueueLimit } from './limit-concurrency.js';

const queueLimit = (length: number): QueueLimit => ({ length, error: () => new Error('the queue is full') });

/** Work that runs until the test ends it. */
function createWork() {
  const started: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const run = (n: number) => () =>
    new Promise<number>((resolve, reject) => {
      started.push(n);
      ends[n] = (error) => (error ? reject(error) : resolve(n));
    });
  return { started, end: (n: number, error?: Error) => ends[n]?.(error), run };
}

it('a few calls run at once, the others run in their order, and a call beyond the queue limit is rejected', async () => {
  const limiter = limitConcurrency(2, queueLimit(3));
  const { started, end, run } = createWork();
  const taken = [0, 1, 2, 3, 4].map((n) => limiter(run(n)));
  await expect(limiter(run(5))).rejects.toThrow('the queue is full');
  expect(started).toEqual([0, 1]);

  for (const n of [1, 0, 2, 3, 4]) {
    end(n);
    expect(await taken[n]).toBe(n);
  }
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

it('a failed call lets the next one start', async () => {
  const limiter = limitConcurrency(1, queueLimit(1));
  const { end, run } = createWork();
  const [failing, next] = [limiter(run(0)), limiter(run(1))];
  end(0, new Error('no'));
  await expect(failing).rejects.toThrow('no');
  end(1);
  expect(await next).toBe(1);

  const later = limiter(run(2));
  end(2);
  expect(await later).toBe(2);
});
