import type { LimitStore } from '@jobline/engine';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCounter } from './fixed-windows.js';

/** Redis is away. */
const store: LimitStore = {
  prefixOf: (budget) => budget,
  eval: () => Promise.reject(new Error('Redis does not answer')),
  close: () => undefined,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a process without Redis allows a quarter of the budget in a window, and all of it again in the next', async () => {
  const counter = createCounter(store, 'login', { count: 8, seconds: 60 });
  expect(await counter.take('a')).toEqual({ isOver: false, limit: 8, remaining: 1, resetS: 60, retryAfterS: 0 });
  vi.advanceTimersByTime(20_000);
  expect(await counter.take('a')).toMatchObject({ isOver: false, remaining: 0, resetS: 40 });
  expect(await counter.take('a')).toEqual({ isOver: true, limit: 8, remaining: 0, resetS: 40, retryAfterS: 40 });
  expect(await counter.take('b')).toMatchObject({ isOver: false });

  vi.advanceTimersByTime(40_000);
  expect(await counter.take('a')).toMatchObject({ isOver: false, remaining: 1, resetS: 60 });
});

it('a refund undoes a take', async () => {
  const counter = createCounter(store, 'send', { count: 1, seconds: 60 }, 1);
  expect((await counter.take('a')).isOver).toBe(false);
  await counter.refund('a');
  expect((await counter.take('a')).isOver).toBe(false);
  expect((await counter.take('a')).isOver).toBe(true);
});
