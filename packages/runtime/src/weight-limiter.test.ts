import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createWeightLimiter, type WeightLimiterOptions } from './weight-limiter.js';

/** A limiter and the names of what it has started, in order. The owner of `a1` is `a`. */
function limiterOf(options: Partial<WeightLimiterOptions> = {}) {
  const limiter = createWeightLimiter({ capacity: 100, maxPerOwner: 10, ...options });
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const take = (name: string, weight = 1, signal = new AbortController().signal) =>
    limiter.take(name.charAt(0), weight, signal).then((release) => {
      started.push(name);
      releases.set(name, release);
    });
  return { started, take, release: (name: string) => releases.get(name)?.() };
}

async function turns(count = 30): Promise<void> {
  for (let n = 0; n < count; n++) await turn();
}

it('owners take turns, and one start happens in each turn of the event loop', async () => {
  const { started, take } = limiterOf();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void take(name);

  const counts: number[] = [];
  for (let n = 0; n < 12; n++) {
    await turn();
    counts.push(started.length);
  }

  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(counts.every((count, n) => count - (counts[n - 1] ?? 0) <= 1)).toBe(true);
});

it('the total weight never exceeds the capacity, and no lighter work overtakes the one whose turn it is', async () => {
  const { started, take, release } = limiterOf();
  for (const [name, weight] of [
    ['a1', 60],
    ['b1', 60],
    ['c1', 10],
  ] as const)
    void take(name, weight);

  await turns();
  expect(started).toEqual(['a1']);
  release('a1');
  release('a1');
  await turns();
  expect(started).toEqual(['a1', 'b1', 'c1']);
});

it('an owner at its maximum does not stop the others', async () => {
  const { started, take, release } = limiterOf({ maxPerOwner: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void take(name);

  await turns();
  expect(started).toEqual(['a1', 'b1', 'a2']);
  release('a1');
  await turns();
  expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
});

it('the weight of an owner never exceeds its maximum, except for a single heavy work', async () => {
  const { started, take, release } = limiterOf({ maxWeightPerOwner: 10 });
  for (const [name, weight] of [
    ['a1', 20],
    ['a2', 6],
    ['a3', 6],
    ['b1', 6],
  ] as const)
    void take(name, weight);

  await turns();
  expect(started).toEqual(['a1', 'b1']);
  release('a1');
  await turns();
  expect(started).toEqual(['a1', 'b1', 'a2']);
});

it('a work heavier than the whole capacity starts when nothing else runs', async () => {
  const { started, take, release } = limiterOf();
  void take('a1', 1);
  void take('b1', 1_000);

  await turns();
  expect(started).toEqual(['a1']);
  release('a1');
  await turns();
  expect(started).toEqual(['a1', 'b1']);
});

it('a work that is abandoned while it waits never starts, and rejects with the reason', async () => {
  const { started, take, release } = limiterOf({ maxPerOwner: 1 });
  const controller = new AbortController();
  void take('a1');
  const second = take('a2', 1, controller.signal);
  void take('a3');
  await turns();

  controller.abort(new Error('no longer needed'));
  await expect(second).rejects.toThrow('no longer needed');
  await expect(take('a4', 1, controller.signal)).rejects.toThrow('no longer needed');
  release('a1');
  await turns();

  expect(started).toEqual(['a1', 'a3']);
});
