import type { Claim } from '@jobline/db/job-transitions';
import { expect, test } from 'vitest';
import { createCrashIsolation } from './crash-isolation.js';

// The cast: of a claim nothing else is looked at.
const crashed = (crashCount: number) => ({ crashCount }) as Claim;
const all = { crashedOnce: 10, isolated: 1 };

test('one job at a time is isolated, and few at a time are crashedOnce', () => {
  expect(createCrashIsolation().reserve()).toEqual(all);
});

test('what one statement may take no other can take meanwhile', () => {
  const isolation = createCrashIsolation();
  const reserved = isolation.reserve();

  expect(isolation.reserve()).toEqual({ crashedOnce: 0, isolated: 0 });

  isolation.confirm(reserved, []);
  expect(isolation.reserve()).toEqual(all);
});

test('a job has its place until it leaves; one that was never lost needs none', () => {
  const isolation = createCrashIsolation();
  const claims = [crashed(0), crashed(1), crashed(1), crashed(2)];

  isolation.confirm(isolation.reserve(), claims);
  const left = isolation.reserve();
  expect(left).toEqual({ crashedOnce: 8, isolated: 0 });

  isolation.confirm(left, []);
  for (const claim of claims) isolation.release(claim);
  expect(isolation.reserve()).toEqual(all);
});
