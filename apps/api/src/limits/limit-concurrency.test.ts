import { expect, it } from 'vitest';
import { createAtMost, type Line } from './limit-concurrency.js';

const lineOf = (length: number): Line => ({ length, refusal: () => new Error('the line is full') });

/** What runs until it is told to end. */
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

it('a few run at once, the others in the order in which they came, and one too many is refused', async () => {
  const turn = createAtMost(2, lineOf(3));
  const { started, end, run } = createWork();
  const taken = [0, 1, 2, 3, 4].map((n) => turn(run(n)));
  await expect(turn(run(5))).rejects.toThrow('the line is full');
  expect(started).toEqual([0, 1]);

  for (const n of [1, 0, 2, 3, 4]) {
    end(n);
    expect(await taken[n]).toBe(n);
  }
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

it('one that fails makes room all the same', async () => {
  const turn = createAtMost(1, lineOf(1));
  const { end, run } = createWork();
  const [failing, next] = [turn(run(0)), turn(run(1))];
  end(0, new Error('no'));
  await expect(failing).rejects.toThrow('no');
  end(1);
  expect(await next).toBe(1);

  const later = turn(run(2));
  end(2);
  expect(await later).toBe(2);
});
