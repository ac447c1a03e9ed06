import { afterEach, beforeEach, expect, it } from 'vitest';
import { brokenChains, dueDelays, LENGTH, submitChains } from '../chaos/after-chains.js';
import { createFaultyPlace, type FaultyPlace, finishUnderFaults } from '../chaos/limit-faults.js';

/** The short form is in test/chaos/after-faults.test.ts. Another number of chains: CHAINS=1000. */
const CHAINS = Number(process.env.CHAINS ?? 10_000);
const FAULTS = 20;

let place: FaultyPlace;
beforeEach(async () => {
  place = await createFaultyPlace(4, 5, 2);
});
afterEach(() => place.end());

it(`no fault starts a job of ${CHAINS} chains early, twice or never, also while they are submitted`, async () => {
  const total = CHAINS * LENGTH;
  await Promise.all([submitChains(place, 0, CHAINS), finishUnderFaults(place, total, Math.ceil(total / FAULTS))]);

  expect(await place.db.finishedJob.count()).toBe(total);
  expect(await brokenChains(place.db)).toEqual([]);
  const delays = await dueDelays(place.db);
  expect(delays[0]).toBeGreaterThanOrEqual(0);
  const [p50, p99, highest] = [0.5, 0.99, 1].map((part) =>
    Math.round(delays[Math.ceil(delays.length * part) - 1] ?? 0),
  );
  console.log(
    `${total} jobs in chains: due after their last condition was met after ${p50} (p50), ${p99} (p99), ${highest} ms (highest)`,
  );
});
