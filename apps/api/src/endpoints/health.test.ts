import type { Db } from '@jobline/db';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createReadiness } from './health.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('readiness queries Postgres at most once a second, no matter how many callers check it', async () => {
  const $queryRawUnsafe = vi.fn().mockRejectedValue(new Error('away'));
  // The cast: readiness uses nothing else of the database.
  const ready = createReadiness({ $queryRawUnsafe } as unknown as Db, async () => null);

  const answers = await Promise.all(Array.from({ length: 100 }, ready));
  expect(new Set(answers.map((answer) => answer?.code))).toEqual(new Set(['unavailable']));
  await ready();
  expect($queryRawUnsafe).toHaveBeenCalledTimes(1);

  vi.advanceTimersByTime(1_000);
  await ready();
  expect($queryRawUnsafe).toHaveBeenCalledTimes(2);
});
