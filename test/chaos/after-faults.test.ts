import { afterEach, beforeEach, expect, it } from 'vitest';
import { brokenChains, dueDelays, LENGTH, submitChains } from './after-chains.js';
import { createFaultyPlace, type FaultyPlace, finishUnderFaults } from './limit-faults.js';

/** The long form is in test/long/after.test.ts. */
const CHAINS = 100;

let place: FaultyPlace;
beforeEach(async () => {
  place = await createFaultyPlace(2, 5, 1);
});
afterEach(() => place.end());

it('no fault starts a job of a chain early, twice or never', async () => {
  await submitChains(place, 0, CHAINS);
  await finishUnderFaults(place, CHAINS * LENGTH, CHAINS);

  expect(await place.db.finishedJob.count()).toBe(CHAINS * LENGTH);
  expect(await brokenChains(place.db)).toEqual([]);
  expect((await dueDelays(place.db))[0]).toBeGreaterThanOrEqual(0);
});
