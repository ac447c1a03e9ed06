import { expect, test } from 'vitest';
import { finished, forbiddenEnds, runSoak } from './run-soak.js';

// The short form of test/long/soak.test.ts. In such a short time, memory and tables still grow to their usual size.
test('jobs of all types finish while processes are replaced, and Redis is empty afterwards', async () => {
  const soak = await runSoak({ jobs: 1_000, minutes: 1 / 6, samples: 4 });

  expect(soak.replaced).toBe(4);
  expect(soak.unexpected).toEqual([]);
  expect(finished(soak)).toBe(soak.accepted);
  expect(forbiddenEnds(soak)).toEqual([]);
});
