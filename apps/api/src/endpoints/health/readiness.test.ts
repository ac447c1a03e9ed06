import type { Db } from '@jobline/db';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createReadiness } from './readiness.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('however many ask whether the service is ready, Postgres is asked once a second', async () => {
  const $queryRaw = vi.fn().mockRejectedValue(new Error('away'));
  // The cast: readiness asks a database nothing else.
  const ready = createReadiness({ $queryRaw } as unknown as Db, async () => null);

  const answers = await Promise.all(Array.from({ length: 100 }, ready));
  expect(new Set(answers.map((answer) => answer?.code))).toEqual(new Set(['unavailable']));
  await ready();
  expect($queryRaw).toHaveBeenCalledTimes(1);

  vi.advanceTimersByTime(1_000);
  await ready();
  expect($queryRaw).toHaveBeenCalledTimes(2);
});
