import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createFairLimiter, type FairLimiterOptions } from './fair-limiter.js';

const tooMany = () => new Error('too many wait');

/** A limiter, the names of the tasks that it has started, and a way to end them. The owner of `a1` is `a`. */
function limiterOf(options: FairLimiterOptions) {
  const limiter = createFairLimiter({ tooMany, ...options });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal?: AbortSignal) =>
    limiter.run(
      () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      { owner: name.charAt(0), ...(signal && { signal }) },
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { limiter, started, run, end };
}

it('no more tasks run at the same time than the capacity, and tasks without an owner start in the order of the calls', async () => {
  const limiter = createFairLimiter({ capacity: 2 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const all = Promise.all(
    ['a', 'b', 'c', 'd'].map((name) =>
      limiter.run(() => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    ),
  );
  await turn();
  expect(started).toEqual(['a', 'b']);

  ends.get('b')?.();
  await turn();
  expect(started).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c']) ends.get(name)?.();
  await turn();
  ends.get('d')?.();

  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

it('a task that starts at once and one that waits both take the turn of their owner', async () => {
  const { started, run, end } = limiterOf({ capacity: 1 });
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => run(name));
  await turn();

  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
  await Promise.all(all);

  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('a task that fails frees its slot', async () => {
  const { limiter } = limiterOf({ perOwner: 1 });

  await expect(limiter.run(() => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails');

  expect(await limiter.run(async () => 'next')).toBe('next');
});

it('each owner has its own slots and a bounded queue, and other owners do not wait for it', async () => {
  const { started, run, end } = limiterOf({ perOwner: 2, maxQueued: 1 });
  const runs = ['a1', 'a2', 'a3'].map((name) => run(name));
  await expect(run('a4')).rejects.toThrow('too many wait');
  runs.push(run('b1'));
  await turn();
  expect(started).toEqual(['a1', 'a2', 'b1']);

  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  runs.push(run('a5'));
  for (const name of ['a2', 'b1', 'a3', 'a5']) await end(name);
  await Promise.all(runs);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a5']);
});

it('a task whose signal fires while it waits never starts, frees its place in the queue, and the next takes its turn', async () => {
  const { started, run, end } = limiterOf({ capacity: 1, maxQueued: 1 });
  const controller = new AbortController();
  const first = run('a1');
  const canceled = run('a2', controller.signal);

  controller.abort(new Error('no longer needed'));
  await expect(canceled).rejects.toThrow('no longer needed');
  await expect(run('a3', controller.signal)).rejects.toThrow('no longer needed');
  const last = run('a4');
  await end('a1');
  await first;
  await end('a4');
  await last;

  expect(started).toEqual(['a1', 'a4']);
});

it('a task that waits too long never starts', async () => {
  const { started, run, end } = limiterOf({ perOwner: 1, waitMs: 1 });
  const first = run('a1');

  await expect(run('a2')).rejects.toThrow('too many wait');
  await end('a1');
  await first;

  expect(started).toEqual(['a1']);
});

it('a lighter task starts when the heavy task whose turn it is gives up', async () => {
  const limiter = createFairLimiter({ capacity: 10 });
  const controller = new AbortController();
  await limiter.take({ owner: 'a', weight: 5 });
  const heavy = limiter.take({ owner: 'b', weight: 10, signal: controller.signal });
  const light = limiter.take({ owner: 'c', weight: 5 });

  controller.abort(new Error('no longer needed'));

  await expect(heavy).rejects.toThrow('no longer needed');
  expect(await light).toBeTypeOf('function');
});

it('owners that have all their slots cost the start of another task nothing', async () => {
  const limiter = createFairLimiter({ perOwner: 1 });
  const fillSlots = async (owners: number) => {
    for (let n = 0; n < owners; n++) {
      await limiter.take({ owner: `full ${n}` });
      void limiter.take({ owner: `full ${n}` });
    }
  };
  /** The shortest time of 1,000 tasks of one owner that wait and start one after the other. */
  const timed = async () => {
    const timesMs: number[] = [];
    for (let n = 0; n < 5; n++) {
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: 1_000 }, () => limiter.run(async () => undefined, { owner: 'a' })));
      timesMs.push(performance.now() - startedAt);
    }
    return Math.min(...timesMs);
  };
  const aloneMs = await timed();

  await fillSlots(10_000);

  expect(limiter.waiting()).toBe(10_000);
  expect(await timed()).toBeLessThan(20 * aloneMs + 50);
});

describe('a limiter with a pace', () => {
  /** A paced limiter and the names of what it has started, in order. The owner of `a1` is `a`. */
  function pacedOf(options: FairLimiterOptions = {}) {
    const limiter = createFairLimiter({ capacity: 100, perOwner: 10, isPaced: true, ...options });
    const started: string[] = [];
    const releases = new Map<string, () => void>();
    const take = async (name: string, weight = 1, signal = new AbortController().signal) => {
      const release = await limiter.take({ owner: name.charAt(0), weight, signal });
      started.push(name);
      releases.set(name, release);
    };
    return { started, take, release: (name: string) => releases.get(name)?.() };
  }

  async function turns(count = 30): Promise<void> {
    for (let n = 0; n < count; n++) await turn();
  }

  it('owners take turns, and one start happens in each turn of the event loop', async () => {
    const { started, take } = pacedOf();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void take(name);

    const counts: number[] = [];
    for (let n = 0; n < 12; n++) {
      await turn();
      counts.push(started.length);
    }

    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(counts.every((count, n) => count - (counts[n - 1] ?? 0) <= 1)).toBe(true);
  });

  it('the total weight never exceeds the capacity, and no lighter task overtakes the one whose turn it is', async () => {
    const { started, take, release } = pacedOf();
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
    const { started, take, release } = pacedOf({ perOwner: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void take(name);

    await turns();
    expect(started).toEqual(['a1', 'b1', 'a2']);
    release('a1');
    await turns();
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('the weight of an owner never exceeds its maximum, except for a single heavy task', async () => {
    const { started, take, release } = pacedOf({ weightPerOwner: 10 });
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

  it('a task heavier than the whole capacity starts when nothing else runs', async () => {
    const { started, take, release } = pacedOf();
    void take('a1', 1);
    void take('b1', 1_000);

    await turns();
    expect(started).toEqual(['a1']);
    release('a1');
    await turns();
    expect(started).toEqual(['a1', 'b1']);
  });

  it('a task that is abandoned while it waits never starts, and rejects with the reason', async () => {
    const { started, take, release } = pacedOf({ perOwner: 1 });
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
});

it('an owner has fewer slots while others have tasks, and more again a second later', async () => {
  const { started, run, end } = limiterOf({ perOwner: { alone: 3, shared: 1 } });
  const runs = ['a1', 'a2', 'a3', 'a4'].map((name) => run(name));
  await turn();
  expect(started).toEqual(['a1', 'a2', 'a3']);
  runs.push(run('b1'), run('b2'));
  await turn();
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);

  for (const name of ['a1', 'a2']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  await vi.waitFor(() => expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2']), 10_000);
  for (const name of ['a3', 'b1', 'a4', 'b2']) await end(name);

  expect(await Promise.all(runs)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
});
