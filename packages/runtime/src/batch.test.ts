import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { type BatcherOptions, createBatcher } from './batch.js';

/** A batcher that doubles numbers, and its batches so far. Each batch ends when `release` is called. */
function doubling(options: Partial<BatcherOptions<number, number>> = {}) {
  const batches: number[][] = [];
  const releases: (() => void)[] = [];
  const batcher = createBatcher<number, number>({
    async run(items) {
      batches.push(items);
      await new Promise<void>((resolve) => releases.push(resolve));
      return items.map((item) => 2 * item);
    },
    maxItems: 100,
    gatherMs: 1,
    maxInFlight: 1,
    isolate: () => false,
    ...options,
  });
  return { batcher, batches, release: () => releases.shift()?.(), waiting: () => releases.length };
}

async function eventually(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 1_000) throw new Error('the condition never became true');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

it('calls of one turn of the event loop go out at once in one batch, and each gets its own answer', async () => {
  const { batcher, batches, release, waiting } = doubling();

  const answers = Promise.all([batcher.add(1), batcher.add(2), batcher.add(3)]);
  await eventually(() => waiting() === 1);
  release();

  expect(await answers).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

it('items that arrive while a batch is running gather into the next one', async () => {
  const { batcher, batches, release, waiting } = doubling();

  const first = batcher.add(1);
  await eventually(() => waiting() === 1);
  const others = Promise.all([batcher.add(2), batcher.add(3)]);
  release();
  await eventually(() => waiting() === 1);
  release();

  expect(await first).toBe(2);
  expect(await others).toEqual([4, 6]);
  expect(batches).toEqual([[1], [2, 3]]);
});

it('items gather no longer than gatherMs while another batch may run', async () => {
  const { batcher, batches, waiting } = doubling({ maxInFlight: 2 });

  void batcher.add(1);
  await eventually(() => waiting() === 1);
  void batcher.add(2);
  await eventually(() => waiting() === 2);

  expect(batches).toEqual([[1], [2]]);
});

it('no more batches run at the same time than maxInFlight, and none is larger than maxItems', async () => {
  const { batcher, batches, release, waiting } = doubling({ maxInFlight: 2, maxItems: 2 });

  const answers = Promise.all([1, 2, 3, 4, 5].map((n) => batcher.add(n)));
  await eventually(() => waiting() === 2);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (let i = 0; i < 3; i++) {
    await eventually(() => waiting() > 0);
    release();
  }

  expect(await answers).toEqual([2, 4, 6, 8, 10]);
});

it('one bad item fails alone if the error may be its own', async () => {
  const batcher = createBatcher<number, number>({
    run: async (items) => {
      if (items.includes(2)) throw new Error('2 is bad');
      return items;
    },
    maxItems: 10,
    gatherMs: 1,
    maxInFlight: 1,
    isolate: (error) => error instanceof Error && error.message === '2 is bad',
  });

  const outcomes = await Promise.allSettled([1, 2, 3].map((n) => batcher.add(n)));

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('an error that belongs to no item fails the whole batch without a second try', async () => {
  let runs = 0;
  const batcher = createBatcher<number, number>({
    run: async () => {
      runs++;
      throw new Error('the server is away');
    },
    maxItems: 10,
    gatherMs: 1,
    maxInFlight: 1,
    isolate: () => false,
  });

  const outcomes = await Promise.allSettled([1, 2].map((n) => batcher.add(n)));

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(runs).toBe(1);
});

it('the batcher continues after a batch that failed', async () => {
  let runs = 0;
  const batcher = createBatcher<number, number>({
    run: async (items) => {
      if (++runs === 1) throw new Error('the first one fails');
      return items;
    },
    maxItems: 10,
    gatherMs: 1,
    maxInFlight: 1,
    isolate: () => false,
  });

  await expect(batcher.add(1)).rejects.toThrow('the first one fails');

  expect(await batcher.add(2)).toBe(2);
});

it('no batch holds more than its size, and an item larger than that forms its own batch', async () => {
  const { batcher, batches, release, waiting } = doubling({ size: { of: (n) => n, max: 10 } });

  const answers = Promise.all([4, 5, 6, 50, 1].map((n) => batcher.add(n)));
  for (let i = 0; i < 4; i++) {
    await eventually(() => waiting() > 0);
    release();
  }

  expect(await answers).toEqual([8, 10, 12, 100, 2]);
  expect(batches).toEqual([[4, 5], [6], [50], [1]]);
});

it('owners take turns: the only item of one owner does not wait for all items of another', async () => {
  const { batcher, batches, release, waiting } = doubling({
    maxItems: 3,
    ownerOf: (n) => (n < 100 ? 'many' : 'one'),
  });

  const answers = Promise.all([1, 2, 3, 4, 5, 100].map((n) => batcher.add(n)));
  for (let i = 0; i < 2; i++) {
    await eventually(() => waiting() > 0);
    release();
  }

  expect(await answers).toEqual([2, 4, 6, 8, 10, 200]);
  expect(batches).toEqual([
    [1, 100, 2],
    [3, 4, 5],
  ]);
});

it('a batch runs in the context of the batcher, not in that of the caller whose item was first', async () => {
  const callers = new AsyncLocalStorage<string>();
  const batcher = createBatcher({
    run: async (items: string[]) => items.map((item) => `${item} by ${callers.getStore() ?? 'the batcher'}`),
    maxItems: 2,
    gatherMs: 1,
    maxInFlight: 1,
    isolate: () => false,
  });

  const answers = ['a', 'b', 'c'].map((item) => callers.run(item, () => batcher.add(item)));

  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'].map((item) => `${item} by the batcher`));
});
