import type { Claim } from '@jobline/db/job-transitions';
import { expect, test } from 'vitest';
import { createCrashIsolation } from './crash-isolation.js';

// The cast: only the crash count of a claim is read.
const crashed = (crashCount: number) => ({ crashCount }) as Claim;
const all = { crashedOnce: 10, isolated: 1 };

test('one job at a time runs isolated, and few jobs that crashed one worker run at the same time', () => {
  expect(createCrashIsolation().reserve()).toEqual(all);
});

test('capacity that one claim statement has reserved is not available to another one', () => {
  const isolation = createCrashIsolation();
  const reserved = isolation.reserve();

  expect(isolation.reserve()).toEqual({ crashedOnce: 0, isolated: 0 });

  isolation.confirm(reserved, []);
  expect(isolation.reserve()).toEqual(all);
});

test('a job that crashed a worker uses capacity until it is released, and other jobs use none', () => {
  const isolation = createCrashIsolation();
  const claims = [crashed(0), crashed(1), crashed(1), crashed(2)];

  isolation.confirm(isolation.reserve(), claims);
  const left = isolation.reserve();
  expect(left).toEqual({ crashedOnce: 8, isolated: 0 });

  isolation.confirm(left, []);
  for (const claim of claims) isolation.release(claim);
  expect(isolation.reserve()).toEqual(all);
});
